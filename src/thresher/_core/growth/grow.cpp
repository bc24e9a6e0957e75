#include "growth/grow.hpp"

#include "codes/coded_table.hpp"
#include "growth/grower.hpp"
#include "growth/records.hpp"

namespace thresher {

template <class T>
GrownTree grow(const Table<T>& table, const std::uint8_t* labels, const double* weights,
               const std::uint8_t* categorical, const GrowOptions& options) {
  CodedTable<T> source(table, labels, weights, categorical, options.max_bins, options.n_threads);
  Sample<T> sample{source, std::move(source.neg), std::move(source.pos)};
  const std::vector<Record> records = grow_records(sample, options);
  return TreeWriter(records, source.fixed_point).write();
}

template GrownTree grow(const Table<float>&, const std::uint8_t*, const double*,
                        const std::uint8_t*, const GrowOptions&);
template GrownTree grow(const Table<double>&, const std::uint8_t*, const double*,
                        const std::uint8_t*, const GrowOptions&);

}  // namespace thresher
