"""Names of months, weekdays and numbers in many languages: they recur with the calendar and are not news.

Codes are those of ISO 639-1. Abbreviations are included unless they are also other words, such as *mar* and *sun*.
"""

from __future__ import annotations

_NAMES = {
    "en": """
        january february march april may june july august september october november december jan feb apr jun
        jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed
        thu thur thurs fri sat today yesterday tomorrow tonight zero one two three four five six seven eight
        nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty
        fifty sixty seventy eighty ninety hundred thousand million billion first second third fourth fifth sixth
        seventh eighth ninth tenth
    """,
    "de": """
        januar jänner februar märz april mai juni juli august september oktober november dezember jan feb mär
        apr jun jul aug sep sept okt nov dez montag dienstag mittwoch donnerstag freitag samstag sonnabend
        sonntag heute gestern morgen null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig
        dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend million millionen milliarde
        milliarden erste ersten erster erstes zweite zweiten zweiter zweites dritte dritten dritter drittes
        vierte vierten fünfte fünften
    """,
    "fr": """
        janvier février mars avril mai juin juillet août septembre octobre novembre décembre janv févr avr juil
        sept oct nov déc lundi mardi mercredi jeudi vendredi samedi dimanche hier demain deux trois quatre cinq
        six huit neuf dix onze douze vingt trente quarante cinquante soixante cent mille million millions
        milliard milliards premier première premiers premières deuxième second seconde troisième quatrième
    """,
    "es": """
        enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre ene
        feb abr jun jul ago sept oct nov dic lunes martes miércoles jueves viernes sábado domingo hoy ayer
        mañana dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cuarenta cincuenta cien
        ciento mil millón millones primer primero primera primeros primeras segundo segunda tercer tercero
        tercera cuarto cuarta
    """,
    "it": """
        gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre gen feb
        apr mag giu lug ago set ott nov dic lunedì martedì mercoledì giovedì venerdì sabato domenica oggi ieri
        domani due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta quaranta cinquanta
        cento mille mila milione milioni miliardo miliardi primo prima primi prime secondo seconda terzo terza
        quarto quarta
    """,
    "pt": """
        janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro jan fev abr jun
        jul ago set out nov dez segunda terça quarta quinta sexta sábado domingo feira hoje ontem amanhã dois
        duas três quatro cinco seis sete oito nove onze doze vinte trinta quarenta cinquenta cem cento mil
        milhão milhões bilhão bilhões primeiro primeira primeiros primeiras segundo terceiro terceira
    """,
    "nl": """
        januari februari maart april mei juni juli augustus september oktober november december jan feb mrt apr
        jun jul aug sep sept okt nov dec maandag dinsdag woensdag donderdag vrijdag zaterdag zondag vandaag
        gisteren morgen twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig veertig vijftig
        honderd duizend miljoen miljard eerste tweede derde vierde
    """,
    "sv": """
        januari februari mars april maj juni juli augusti september oktober november december måndag tisdag
        onsdag torsdag fredag lördag söndag idag igår imorgon två tre fyra fem sex sju åtta nio tio elva tolv
        tjugo trettio hundra tusen miljon miljoner miljard miljarder första andra tredje fjärde
    """,
    "da": """
        januar februar marts april maj juni juli august september oktober november december mandag tirsdag
        onsdag torsdag fredag lørdag søndag idag igår imorgen to tre fire fem seks syv otte ni ti elleve tolv
        tyve tredive hundrede tusind million millioner milliard milliarder første anden tredje fjerde
    """,
    "no": """
        januar februar mars april mai juni juli august september oktober november desember mandag tirsdag onsdag
        torsdag fredag lørdag søndag idag igår imorgen to tre fire fem seks sju åtte ni ti elleve tolv tjue
        tretti hundre tusen million millioner milliard milliarder første andre tredje fjerde
    """,
    "fi": """
        tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu
        tammikuussa helmikuussa maaliskuussa huhtikuussa toukokuussa kesäkuussa heinäkuussa elokuussa syyskuussa
        lokakuussa marraskuussa joulukuussa maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
        maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina tänään eilen huomenna
        yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen sata tuhat miljoona miljoonaa
        miljardi miljardia ensimmäinen toinen kolmas
    """,
    "pl": """
        styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
        stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
        poniedziałek wtorek środa czwartek piątek sobota niedziela środę sobotę niedzielę dziś dzisiaj wczoraj
        jutro jeden dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć sto tysiąc tysięcy milion
        miliony milionów miliard pierwszy pierwsza pierwsze drugi druga trzeci
    """,
    "cs": """
        leden únor březen duben květen červen červenec srpen září říjen listopad prosinec ledna února března
        dubna května června července srpna října listopadu prosince pondělí úterý středa čtvrtek pátek sobota
        neděle středu sobotu neděli dnes včera zítra jeden dva dvě tři čtyři pět šest sedm osm devět deset sto
        tisíc milion milionů miliarda první druhý druhá třetí
    """,
    "hu": """
        január február március április május június július augusztus szeptember október november december hétfő
        kedd szerda csütörtök péntek szombat vasárnap ma tegnap holnap két kettő három négy öt hat hét nyolc
        kilenc tíz száz ezer millió milliárd első második harmadik
    """,
    "ro": """
        ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie luni
        marți miercuri joi vineri sâmbătă duminică azi astăzi ieri mâine doi două trei patru cinci șase șapte
        opt nouă zece sută mie mii milion milioane miliard miliarde primul prima primii doilea doua treilea
    """,
    "tr": """
        ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık pazartesi salı çarşamba
        perşembe cuma cumartesi pazar bugün dün yarın iki üç dört beş altı yedi sekiz dokuz on yüz bin milyon
        milyar birinci ikinci üçüncü ilk
    """,
    "ru": """
        январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь января февраля марта
        апреля мая июня июля августа сентября октября ноября декабря январе феврале марте апреле мае июне июле
        августе сентябре октябре ноябре декабре понедельник вторник среда среду четверг пятница пятницу суббота
        субботу воскресенье сегодня вчера завтра один одна одно две три четыре пять шесть семь восемь девять
        десять сто тысяча тысячи тысяч миллион миллиона миллионов миллиард миллиарда миллиардов первый первая
        первое первого второй вторая третий
    """,
    "uk": """
        січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень січня
        лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня понеділок вівторок
        середа середу четвер пятниця субота суботу неділя неділю сьогодні вчора завтра один одна два дві три
        чотири пять шість сім вісім девять десять сто тисяча тисяч мільйон мільйонів мільярд мільярдів перший
        перша перше другий друга третій
    """,
    "el": """
        ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος σεπτέμβριος οκτώβριος νοέμβριος
        δεκέμβριος ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου
        νοεμβρίου δεκεμβρίου δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή σήμερα χθες αύριο δύο τρία
        τρεις τέσσερα πέντε έξι επτά οκτώ εννέα δέκα εκατό χίλια εκατομμύριο εκατομμύρια δισεκατομμύρια πρώτος
        πρώτη πρώτο δεύτερος δεύτερη
    """,
    "id": """
        januari februari maret april mei juni juli agustus september oktober november desember senin selasa rabu
        kamis jumat sabtu minggu kemarin besok satu dua tiga empat lima enam tujuh delapan sembilan sepuluh
        seratus ratus ribu juta miliar pertama kedua ketiga
    """,
}

CALENDAR_WORDS = {code: frozenset(names.split()) for code, names in _NAMES.items()}
"""Names of months, weekdays, days from today, and of numbers and ordinals, by code of the language."""
