"""What a table and a model are worth before anybody relies on them; public: `find_leakage`."""
