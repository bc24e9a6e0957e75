"""Spark whose session is stopped in the middle of a fit."""

import threading

import pytest

from tests.scale.spark_sessions import classifier, expected_warning, local_session
from tests.scale.tables import random_table

pytestmark = [expected_warning, pytest.mark.slow]


def fit_again_and_again(spark, frame):
    for _ in range(20):
        spark.fit(frame)


def test_stopped_session_is_one_sentence():
    table = random_table(seed=1)
    with local_session() as session:
        frame = session.createDataFrame(table.frame)
        spark = classifier(table, memory=20_000, partitions=1)
        spark.fit(frame)
        threading.Timer(2.0, session.stop).start()
        with pytest.raises(ConnectionError, match="The Spark session is lost") as caught:
            fit_again_and_again(spark, frame)
    assert "\n" not in str(caught.value)
