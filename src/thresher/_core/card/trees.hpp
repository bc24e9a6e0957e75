// The few small trees of a card, while they are built: nodes that are split, merged and dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "card/rows.hpp"
#include "codes/level_set.hpp"

namespace thresher {

// What a node asks of a code; goes_left answers for every code, that of a missing value among them.
struct Question {
  std::int32_t feature = -1;
  std::int32_t cut = -1;  // last bin that goes left; -1 where a category is asked
  LevelSet goes_left{};
};

class CardTrees {
 public:
  struct Node {
    Question question;  // feature -1 at leaves
    std::int32_t parent = -1;
    std::int32_t left = -1;
    std::int32_t right = -1;
    double value = 0.0;  // of a leaf

    bool is_leaf() const { return left < 0; }
  };
  using Place = std::int32_t;  // of a node

  std::size_t n_trees() const { return roots_.size(); }
  std::size_t n_splits() const;
  Place root(std::size_t tree) const { return roots_[tree]; }
  const Node& operator[](Place place) const { return nodes_[static_cast<std::size_t>(place)]; }
  void set_value(Place place, double value) { at(place).value = value; }

  // The nodes of a tree, parents first.
  std::vector<Place> nodes(std::size_t tree) const;
  std::vector<Place> leaves(std::size_t tree) const;
  // Nodes are numbered below this.
  std::size_t n_places() const { return nodes_.size(); }

  // A new tree of one leaf that adds nothing.
  Place add_root();
  // A leaf becomes a node whose two leaves have its value.
  void split(Place leaf, const Question& question);
  // Asks something else; `turned`: the children change sides.
  void ask(Place node, const Question& question, bool turned);
  // A node becomes a leaf again.
  void merge(Place node, double value);
  // The sibling of a leaf takes the place of their parent. Nothing for a leaf without parent.
  void drop(Place leaf);
  // Takes a tree away.
  void remove(std::size_t tree) {
    roots_.erase(roots_.begin() + static_cast<std::ptrdiff_t>(tree));
  }

  // The leaf below a node that a row falls into.
  Place leaf_below(Place from, const CardRows& rows, std::size_t row) const {
    while (!(*this)[from].is_leaf()) {
      const Node& node = (*this)[from];
      const std::size_t code = rows.column(static_cast<std::size_t>(node.question.feature))[row];
      from = has_bit(node.question.goes_left.data(), code) ? node.left : node.right;
    }
    return from;
  }

 private:
  Node& at(Place place) { return nodes_[static_cast<std::size_t>(place)]; }

  std::vector<Node> nodes_;  // those that no root leads to are left behind
  std::vector<Place> roots_;
};

}  // namespace thresher
