import pytest

from driftline.text.calendar_words import CALENDAR_WORDS
from driftline.text.languages import find_language
from driftline.text.stop_word_lists import STOP_WORDS

# Article 1 of the Universal Declaration of Human Rights
ARTICLES = {
    "en": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
    "and should act towards one another in a spirit of brotherhood.",
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt "
    "und sollen einander im Geist der Brüderlichkeit begegnen.",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de "
    "conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y "
    "conciencia, deben comportarse fraternalmente los unos con los otros.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di "
    "coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de "
    "consciência, devem agir uns para com os outros em espírito de fraternidade.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en "
    "geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    "sv": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med förnuft och samvete och "
    "bör handla gentemot varandra i en anda av gemenskap.",
    "da": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, "
    "og de bør handle mod hverandre i en broderskabets ånd.",
    "fi": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja "
    "omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i "
    "sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "cs": "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají "
    "spolu jednat v duchu bratrství.",
    "hu": "Minden emberi lény szabadon születik és egyenlő méltósága és joga van. Az emberek, ésszel és "
    "lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
    "ro": "Toate ființele umane se nasc libere și egale în demnitate și în drepturi. Ele sunt înzestrate cu rațiune și "
    "conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve "
    "birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Bu böyle olmalı ve her zaman için geçerlidir.",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и "
    "должны поступать в отношении друг друга в духе братства.",
    "uk": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і "
    "повинні діяти у відношенні один до одного в дусі братерства.",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με "
    "λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
    "id": "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak yang sama. Mereka dikaruniai akal dan hati "
    "nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.",
}


@pytest.mark.parametrize("code", ARTICLES)
def test_languages(code):
    assert find_language([ARTICLES[code]]).codes[0] == code


def test_two_languages_are_both_found():
    found = find_language([ARTICLES["en"]] * 6 + [ARTICLES["de"]] * 4)
    assert found.codes == ("en", "de")
    assert found.shares[0] > found.shares[1] > 0.3


def test_a_language_of_few_documents_is_not_found():
    assert find_language([ARTICLES["en"]] * 30 + [ARTICLES["de"]]).codes == ("en",)


def test_one_word_makes_no_language():
    assert find_language(["war baghdad troops tanks", "flu hospital doctors war"] * 50).codes == ()


def test_what_is_not_a_language():
    for texts in ([], [""], ["123 456", "!!!"], ["qwx zrt plk"] * 5, ["😀 😀"]):
        assert find_language(texts).codes == ()


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("人人生而自由，在尊严和权利上一律平等。", "Chinese"),
        ("すべての人間は、生まれながらにして自由であり、", "Japanese"),
        ("มนุษย์ทั้งหลายเกิดมามีอิสระ", "Thai"),
        ("모든 인간은 태어날 때부터 자유로우며", ""),
        ("يولد جميع الناس أحرارا", ""),
        ("All human beings 人人", ""),
    ],
)
def test_scripts_without_spaces(text, script):
    assert find_language([text]).unspaced == script


def test_every_language_with_stop_words_has_a_calendar():
    assert STOP_WORDS.keys() == CALENDAR_WORDS.keys()


@pytest.mark.parametrize("lists", [STOP_WORDS, CALENDAR_WORDS])
def test_words_are_spelled_as_they_are_counted(lists):
    for words in lists.values():
        assert all(word == word.lower() and word.isalpha() for word in words)
