#include "card/trees.hpp"

#include <algorithm>
#include <utility>

namespace thresher {

std::size_t CardTrees::n_splits() const {
  std::size_t count = 0;
  for (std::size_t tree = 0; tree < n_trees(); ++tree) count += nodes(tree).size() / 2;
  return count;
}

std::vector<CardTrees::Place> CardTrees::nodes(std::size_t tree) const {
  std::vector<Place> found{roots_[tree]};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Node& node = (*this)[found[i]];
    if (node.is_leaf()) continue;
    found.push_back(node.left);
    found.push_back(node.right);
  }
  return found;
}

std::vector<CardTrees::Place> CardTrees::leaves(std::size_t tree) const {
  std::vector<Place> found = nodes(tree);
  std::erase_if(found, [&](Place place) { return !(*this)[place].is_leaf(); });
  return found;
}

CardTrees::Place CardTrees::add_root() {
  nodes_.emplace_back();
  roots_.push_back(static_cast<Place>(nodes_.size() - 1));
  return roots_.back();
}

void CardTrees::split(Place leaf, const Question& question) {
  Node child;
  child.parent = leaf;
  child.value = at(leaf).value;
  at(leaf).question = question;
  at(leaf).left = static_cast<Place>(nodes_.size());
  at(leaf).right = static_cast<Place>(nodes_.size() + 1);
  nodes_.push_back(child);
  nodes_.push_back(child);
}

void CardTrees::ask(Place node, const Question& question, bool turned) {
  at(node).question = question;
  if (turned) std::swap(at(node).left, at(node).right);
}

void CardTrees::merge(Place node, double value) {
  const Place parent = at(node).parent;
  at(node) = Node{};
  at(node).parent = parent;
  at(node).value = value;
}

void CardTrees::drop(Place leaf) {
  const Place parent = at(leaf).parent;
  if (parent < 0) return;
  const Place sibling = at(parent).left == leaf ? at(parent).right : at(parent).left;
  const Place above = at(parent).parent;
  at(sibling).parent = above;
  if (above < 0)
    std::ranges::replace(roots_, parent, sibling);
  else
    (at(above).left == parent ? at(above).left : at(above).right) = sibling;
}

}  // namespace thresher
