from driftline.report.left_out_index import left_out_of_page
from driftline.report.word_index import LeftOut


def test_each_omission_is_named_with_the_option_that_undoes_it():
    assert left_out_of_page(LeftOut()) == ""
    words = left_out_of_page(LeftOut(n_words=3, most_documents=1))
    assert words.startswith("To keep this page small, 3 words (each in at most 1 document) cannot be looked up. ")
    every = left_out_of_page(LeftOut(12_000, 4, 70, 5_000))
    assert "texts are cut to 70 characters, and texts and ids of 5,000 documents are left out" in every
    assert "--page-size" in every
