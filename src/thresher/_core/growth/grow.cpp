#include "growth/grow.hpp"

#include "codes/coded_table.hpp"
#include "growth/grower.hpp"
#include "growth/records.hpp"

namespace thresher {

template <class T>
GrownTree grow(const TrainingRows<T>& rows, const GrowOptions& options) {
  CodedTable<T> source(rows, options.max_bins, options.n_threads);
  Sample<T> sample{source, std::move(source.neg), std::move(source.pos)};
  const std::vector<Record> records = grow_records(sample, options);
  return TreeWriter(records, source.fixed_point).write();
}

template GrownTree grow(const TrainingRows<float>&, const GrowOptions&);
template GrownTree grow(const TrainingRows<double>&, const GrowOptions&);

}  // namespace thresher
