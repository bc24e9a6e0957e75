"""For the plant: how early scrap can be told, and whether the line is still the same."""

from thresher.judging.early import EarlyDetection, early_detection
from thresher.judging.monitoring import Monitoring, daily_monitoring

__all__ = ["EarlyDetection", "Monitoring", "daily_monitoring", "early_detection"]
