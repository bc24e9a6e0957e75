from pathlib import Path

from thresher.datasets import dataset_info, list_datasets

GUIDE = Path(__file__).parents[2] / "docs" / "datasets.md"


def test_the_table_of_the_guide_is_the_catalogue():
    lines = [line.strip("| ").split(" | ") for line in GUIDE.read_text("utf-8").splitlines()]
    table = [line[:6] for line in lines if line[0] in list_datasets()]
    infos = [dataset_info(name) for name in list_datasets()]
    assert table == [
        [
            info.name,
            f"{info.rows:,}",
            str(info.features),
            f"{info.positives:,}",
            f"{info.share:.3f}",
            info.positive_class,
        ]
        for info in infos
    ]
