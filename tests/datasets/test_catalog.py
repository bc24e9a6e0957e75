import pytest

from thresher.datasets import dataset_info, list_datasets
from thresher.datasets.catalog import catalog
from thresher.datasets.load import BUILDERS


def test_groups_make_up_the_whole():
    manufacturing = list_datasets("manufacturing")
    assert list_datasets() == list_datasets("paper") + manufacturing
    assert len(manufacturing) == 6
    assert {dataset_info(name).paper_name for name in manufacturing} == {None}


@pytest.mark.parametrize("name", list_datasets())
def test_an_entry_is_complete(name):
    info = dataset_info(name)
    assert info.origin.source
    assert info.origin.licence
    assert info.origin.citation
    assert info.positive_class
    assert len(info.sha256) == 64
    assert info.bundled == bool(info.origin.sha256)
    is_built_here = info.origin.name in BUILDERS
    assert is_built_here != (info.bundled or name.startswith("Birds"))  # studies/paper/birds.py
    assert 0 < info.share == info.positives / info.rows < 0.2


def test_downloads_are_pinned_to_a_commit_where_the_host_has_commits():
    urls = {url for info in catalog().values() for url in info.origin.urls}
    assert len(urls) == 6
    assert {url.split("/")[2] for url in urls} == {
        "raw.githubusercontent.com",
        "archive.ics.uci.edu",
    }
    pins = [url.split("/")[5] for url in urls if "github" in url]
    assert all(len(pin) >= 12 and int(pin, 16) for pin in pins)


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("pageblocks0", "Pageblocks0"),
        ("Pageblock", "Pageblocks0"),
        ("page-blocks0", "Pageblocks0"),
        ("Newthyroid2", "Thyroid2"),
        ("letter", "Letter-A or Letter-B or Letter-C or Letter-D"),
        ("secomm", "secom"),
        ("stains", "steel_plates-stains"),
    ],
)
def test_unknown_name_points_to_the_nearest(typed, suggested):
    with pytest.raises(ValueError, match=f"no data set '{typed}'; did you mean {suggested}"):
        dataset_info(typed)


@pytest.mark.parametrize("typed", ["§§§", None])
def test_name_unlike_any_other_lists_all(typed):
    with pytest.raises(ValueError, match=", ".join(list_datasets())):
        dataset_info(typed)


def test_unknown_group_is_refused():
    with pytest.raises(ValueError, match="group must be one of paper, manufacturing or None"):
        list_datasets("papers")
