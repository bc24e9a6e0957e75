"""Many trees, one decision: forests tuned out of bag, and a tree for each Renyi order."""
