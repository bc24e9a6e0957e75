"""Training on Parquet files whose rows stay where they are: `training.py` over what it needs."""
