"""What is said of tables that are given to a method as they are."""

import numpy as np
import pytest

from comitia import ConsensusClustering
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.prepare import TablePreparer

TEXT = np.array([[1.0, "a"], [2.0, "b"], [4.0, "a"], [5.0, "b"]] * 5, dtype=object)
GAPS = np.array([[1.0, 2.0], [2.0, np.nan], [4.0, 1.0], [5.0, 3.0]] * 5)


@pytest.mark.parametrize("table", [TEXT, GAPS], ids=["text", "gaps"])
def test_a_table_that_is_not_of_numbers_is_sent_to_the_preparer(table):
    for refuses in (ConsensusClustering(2).fit, KMeansGenerator(3).generate):
        with pytest.raises(ComitiaError, match="TablePreparer") as error:
            refuses(table)
        assert "supervised" not in str(error.value)
    # What the message says does it.
    X = TablePreparer().fit_transform(table)
    assert len(ConsensusClustering(2, random_state=0).fit(X).labels_) == len(table)
