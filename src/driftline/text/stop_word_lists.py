"""Function words of many languages, which carry no information about the subject of a text.

The lists are short on purpose: articles, pronouns, prepositions, conjunctions, auxiliaries and the most common adverbs,
in lower case. They omit words that often have another meaning in dated text. In English those are *may* (a month), *us*
(a country), *first*, *last*, *new* and the numbers; the parts of contractions split at the apostrophe (``don``, ``ve``)
are included. Codes are those of ISO 639-1.
"""

from __future__ import annotations

_LISTS = {
    "en": """
        a an the this that these those such i me my mine myself you your yours yourself yourselves he him his
        himself she her hers herself it its itself we our ours ourselves they them their theirs themselves who
        whom whose which what where when why how whoever whatever there here then thus and or but nor so yet if
        because while although though unless until whether since than as of in on at by for with from to into
        onto upon out off over under up down about above below between among through during before after against
        within without across along around behind beyond near toward towards per via am is are was were be been
        being have has had having do does did doing done will would shall should can could might must cannot
        ought not no never none nothing neither either all any both each every few more most much many some
        other another others own same only very too just also even again ever once still already quite rather
        almost ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won
        wouldn ll re ve im ive id isnt dont didnt doesnt cant wont
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines ich du
        er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine meinen meinem meiner meines dein
        deine deinen deinem deiner sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser
        unsere unseren unserem unserer unseres euer eure euren eurem eurer sich selbst man wer wen wem wessen
        was wo wann warum wieso weshalb wie welche welchen welchem welcher welches dieser diese dieses diesen
        diesem jener jene jenes jenen jenem jeder jede jedes jeden jedem alle allen allem aller alles manche
        mancher manches einige einigen einiger einiges etwas nichts niemand jemand andere anderen anderem
        anderer anderes beide beiden viel viele vielen vieler wenig wenige mehr solche solchen solcher solches
        und oder aber denn sondern doch sowie weder noch als ob wenn weil dass daß obwohl während damit bevor
        nachdem indem falls da so dann nun also ja nein nicht nur auch schon sehr immer nie niemals hier dort
        dahin daher dabei dafür dagegen daran darauf daraus darin darüber darum davon dazu hin her wieder einmal
        mal zwar eben etwa gar ganz bereits jedoch dennoch trotzdem hierzu deshalb deswegen wohl vielleicht
        sonst in im ins an am ans auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit über um
        unter von vom vor wegen zu zum zur zwischen ab außer entlang gegenüber bin bist ist sind seid war warst
        waren wart gewesen sei seien wäre wären habe hast hat haben habt hatte hatten hätte hätten gehabt werde
        wirst wird werden werdet wurde wurden würde würden worden geworden kann kannst können könnt konnte
        konnten könnte könnten muss muß musst müssen musste mußte mussten mußten müsste müßte soll sollst sollen
        sollte sollten will willst wollen wollte wollten darf dürfen durfte dürfte mag mögen möchte möchten
        lassen lässt läßt
    """,
    "fr": """
        le la les l un une des du de d au aux ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre
        vos leur leurs je j tu il elle on nous vous ils elles me m te t se s lui eux moi toi soi y en qui que qu
        quoi dont où lequel laquelle lesquels lesquelles auquel duquel quel quelle quels quelles celui celle
        ceux celles ceci cela ça c et ou mais donc or ni car si comme quand lorsque puisque parce afin tandis
        alors ainsi aussi à dans par pour sur sous avec sans entre vers chez contre depuis pendant avant après
        dès jusque jusqu hors selon malgré ne n pas plus moins très trop peu beaucoup bien encore déjà toujours
        jamais rien aucun aucune tout toute tous toutes même mêmes autre autres chaque plusieurs quelque
        quelques tel telle tels telles ici là non oui suis es est sommes êtes sont étais était étions étiez
        étaient fus fut furent sera serai seras serons serez seront serait seraient soit soient été étant ai as
        a avons avez ont avais avait avions aviez avaient eut eurent aura aurai auras aurons aurez auront aurait
        auraient ait aient eu ayant fait faire font peut peuvent pouvait pourrait doit doivent être avoir
    """,
    "es": """
        el la los las lo un una unos unas al del de a ante bajo con contra desde durante en entre hacia hasta
        mediante para por según sin sobre tras yo tú él ella ello ellos ellas nosotros nosotras vosotros
        vosotras usted ustedes me te se nos os le les mi mis tu tus su sus mío mía míos mías tuyo tuya suyo suya
        suyos suyas nuestro nuestra nuestros nuestras vuestro vuestra vuestros vuestras este esta estos estas
        ese esa esos esas aquel aquella aquellos aquellas esto eso aquello que qué quien quién quienes cual cuál
        cuales cuyo cuya donde dónde cuando cuándo como cómo cuanto cuánto y e o u ni pero sino aunque porque
        pues si sí no ya más menos muy mucho mucha muchos muchas poco poca pocos pocas todo toda todos todas
        otro otra otros otras mismo misma mismos mismas tan tanto tanta tantos tantas algo alguien algún alguno
        alguna algunos algunas nada nadie ningún ninguno ninguna cada también tampoco así aún todavía siempre
        nunca solo sólo luego entonces aquí allí ahí es soy eres somos sois son era eras éramos eran fue fui
        fueron ser sido siendo será serán sería serían sea sean he has ha hemos habéis han había habían hubo
        haber habrá habría haya hayan estoy está estás estamos están estaba estaban estuvo estar tengo tiene
        tienen tenía tener puede pueden debe deben hace hacer
    """,
    "it": """
        il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei degli delle dell al
        allo alla ai agli alle all dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul
        sullo sulla sui sugli sulle sull col coi io tu lui lei noi voi loro mi ti si ci vi ne me te se mio mia
        miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre
        questo questa questi queste quello quella quelli quelle quel quei quegli che chi cui quale quali cosa
        dove quando come quanto quanta quanti quante perché e ed o od ma però né anche non sì no più meno molto
        molta molti molte poco poca pochi poche tutto tutta tutti tutte altro altra altri altre stesso stessa
        stessi stesse ogni ognuno qualche alcuni alcune nessuno nessuna niente nulla così già ancora sempre mai
        solo quindi dunque poi qui lì là sono sei è siamo siete era erano ero fu furono essere stato stata stati
        state sarà saranno sarebbe sarebbero sia siano ho hai ha abbiamo avete hanno aveva avevano avere avuto
        avrà avranno avrebbe abbia abbiano può possono deve devono fa fare
    """,
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas num numa ao aos à às por pelo pela pelos
        pelas para com sem sob sobre entre até desde após contra perante eu tu ele ela nós vós eles elas você
        vocês me te se lhe lhes vos meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa nossos
        nossas este esta estes estas esse essa esses essas aquele aquela aqueles aquelas isto isso aquilo dele
        dela deles delas deste desta desse dessa neste nesta nesse nessa que quem qual quais cujo cuja onde
        quando como quanto quanta quantos quantas porque e ou nem mas porém pois não sim já mais menos muito
        muita muitos muitas pouco pouca poucos poucas todo toda todos todas outro outra outros outras mesmo
        mesma mesmos mesmas tão tanto tanta algo alguém algum alguma alguns algumas nada ninguém nenhum nenhuma
        cada também ainda sempre nunca só então assim aqui ali lá é sou és somos são era eram fui foi foram ser
        sido sendo será serão seria seriam seja sejam estou está estamos estão estava estavam esteve estar tenho
        tem têm tinha tinham teve ter terá teria há houve haver havia pode podem deve devem faz fazer vai vão
    """,
    "nl": """
        de het een der des den ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hen hun mijn jouw uw
        zijn onze zich zelf die dat deze dit wie wat waar wanneer waarom hoe welke welk er daar hier en of maar
        want dus noch als dan toen omdat hoewel terwijl zodat voordat nadat indien tot in op aan van voor met
        door bij naar uit over onder tegen tussen zonder om te af na binnen buiten sinds tijdens volgens via ben
        bent is was waren geweest heb hebt heeft hebben had hadden gehad word wordt worden werd werden geworden
        zal zult zullen zou zouden kan kunt kunnen kon konden moet moeten moest moesten mag mogen mocht wil
        willen wilde wilden doen doet deed niet geen wel ook nog al alle alles iets niets iemand niemand ieder
        iedere elk elke ander andere anderen veel meer meest minder zo zeer heel erg nu altijd nooit ooit weer
        reeds toch eens slechts alleen echter
    """,
    "sv": """
        den det de en ett jag du han hon vi ni mig dig honom henne oss er dem sig min mitt mina din ditt dina
        sin sitt sina vår vårt våra ert era hans hennes dess deras denna detta dessa som vem vad vilken vilket
        vilka var när varför hur och eller men utan för att om då så därför eftersom medan innan än i på av till
        från med vid under över mellan genom efter före mot hos kring inom utom bland är varit vara blir bli
        blev blivit har hade haft ha ska skall skulle kan kunde måste vill ville får fick inte ej icke ingen
        inget inga alla allt något någon några annan annat andra mycket många mer mest mindre få samma själv här
        där nu också bara redan alltid aldrig igen även
    """,
    "da": """
        den det de en et jeg du han hun vi mig dig ham hende os jer dem sig min mit mine din dit dine sin sit
        sine vor vort vore jeres hans hendes dens dets deres denne dette disse som der hvem hvad hvilken hvilket
        hvilke hvor hvornår hvorfor hvordan og eller men at om da så fordi mens inden end i på af til fra med
        ved under over mellem gennem efter før mod hos omkring blandt for er var været være bliver blive blev
        blevet har havde haft have skal skulle kan kunne må måtte vil ville ikke ej ingen intet alle alt noget
        nogen nogle anden andet andre meget mange mere mest mindre få samme selv her nu også kun allerede altid
        aldrig igen
    """,
    "no": """
        den det de en et ei jeg du han hun vi dere meg deg ham henne oss dem seg min mitt mine din ditt dine sin
        sitt sine vår vårt våre deres hans hennes dens dets denne dette disse som hvem hva hvilken hvilket
        hvilke hvor når hvorfor hvordan og eller men at om da så fordi mens før enn i på av til fra med ved
        under over mellom gjennom etter mot hos blant for er var vært være blir bli ble blitt har hadde hatt ha
        skal skulle kan kunne må måtte vil ville ikke ingen intet alle alt noe noen annen annet andre mye mange
        mer mest mindre få samme selv her der nå også bare allerede alltid aldri igjen
    """,
    "fi": """
        minä sinä hän me te he minun sinun hänen meidän teidän heidän minua sinua häntä meitä teitä heitä
        minulle sinulle hänelle tämä tuo se nämä nuo ne tämän tuon sen näiden noiden niiden tätä tuota sitä
        tässä siinä tästä siitä tähän siihen joka jonka jota jossa josta johon jotka joiden joita joissa mikä
        mitä minkä mitkä kuka kenen ketä missä mistä mihin milloin miksi miten kuinka ja tai vai mutta sekä eli
        että jos kun koska vaikka kuin niin myös ei en et emme ette eivät ole olen olet on olemme olette ovat
        oli olin olivat ollut olleet olla olisi olisivat lienee eikä vain jo vielä aina nyt sitten taas hyvin
        enemmän kaikki kaikkien jokin joku jotkut muu muut toinen kanssa ilman ennen jälkeen yli ali mukaan
        ettei siis
    """,
    "pl": """
        i a o w z ze we na do od dla po przez przy pod nad za przed między bez u ku oraz ale lecz albo lub czy
        że żeby aby ponieważ gdy kiedy jeśli jeżeli bo więc jak jako niż ja ty on ona ono my wy oni one mnie mi
        ciebie cię ci jego go jej ją jemu mu nas nam was wam ich im nimi nich nim niej mój moja moje twój twoja
        swój swoja swoje swoich nasz nasza nasze wasz się siebie sobie ten ta to te tego tej tych temu tym tymi
        tę tą tamten kto co kogo czego komu czemu kim czym który która które którzy którego której których
        któremu którym którą jaki jaka jakie gdzie dlaczego jest są był była było byli były być będzie będą będę
        jestem jesteś jesteśmy został została zostało może mogą można ma mają miał mieć nie tak tylko także też
        już jeszcze bardzo bardziej tu tam teraz zawsze nigdy wszystko wszyscy wszystkie każdy inny inne nic
        nikt
    """,
    "cs": """
        a i o u v ve s se z ze k ke na do od pro po při pod nad za před mezi bez podle proti přes ale nebo či že
        aby protože když kdy jestli zda tak jako jak než já ty on ona ono my vy oni ony mě mne mi tě ti ho jeho
        jej mu ji jí nás nám vás vám je jich jim jimi můj moje tvůj svůj své svou svého náš naše váš sebe si ten
        ta to toho té těch tomu tom tím tato tento tyto kdo co koho čeho který která které kteří kterého kterou
        kterých jaký jaká jaké kde proč jsem jsi jsme jste jsou byl byla bylo byli byly být bude budou budu není
        nejsou může mohou mít má mají měl ne ano jen také též už ještě velmi více tady tam nyní vždy nikdy
        všechno všichni všechny každý jiný nic nikdo by bych
    """,
    "hu": """
        a az egy én te ő mi ti ők engem téged őt minket titeket őket nekem neked neki nekünk nekik ez azt ezt
        ezek azok ebben abban erre arra ennek annak itt ott ki kik mit mely melyek amely amelyek aki akik ami
        amit ahol amikor hogy mert ha és vagy de is sem se nem ne igen csak már még mint majd most után előtt
        alatt között által szerint miatt nélkül felé van vannak volt voltak lesz lesznek lenne legyen lehet kell
        fog meg el be le fel össze vissza nagyon minden mindig soha semmi senki valami valaki más több kevés
        azonban tehát pedig illetve
    """,
    "ro": """
        un o unui unei unor al a ai ale cel cea cei cele de la în din pe cu pentru prin spre către între fără
        sub peste după înainte până contra eu tu el ea noi voi ei ele mă te se îl îi le ne vă lui mi ți meu mea
        mei mele tău ta său sa săi sale nostru noastră vostru lor acest această acești aceste acel acea acei
        acele acesta aceasta care ce cine cui unde când cum cât și sau dar iar însă că dacă deși ca să nu da mai
        foarte mult multe mulți tot toată toți toate alt altă alți alte același fiecare orice nimic nimeni ceva
        cineva aici acolo acum încă deja doar numai este sunt e ești suntem era erau fost fi fiind va vor ar aș
        am are avem aveți au avea poate pot trebuie
    """,
    "tr": """
        ve veya ya da de ile için ama fakat ancak ki mi mı mu mü bir bu şu o bunlar şunlar onlar ben sen biz siz
        beni seni onu bizi sizi bana sana ona bize size onlara benim senin onun bizim sizin onların bunu şunu
        bunun şunun buna ne kim nerede zaman neden niçin nasıl hangi kaç gibi kadar göre sonra önce üzere karşı
        doğru çok daha en az her hiç bazı tüm bütün aynı diğer başka kendi değil var yok olan olarak oldu olduğu
        olduğunu olacak olur olsa ise idi mış şey hem yine bile sadece yalnız çünkü eğer böyle şöyle öyle artık
        hep
    """,
    "ru": """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было
        вот от меня еще ещё нет о об из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь
        опять уж вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам
        чтоб чтобы без будто чего раз тоже себе под будет ж тогда кто этот того потому этого какой ним здесь
        этом почти мой тем нее неё были куда зачем всех никогда при наконец два другой хоть после над больше тот
        через эти нас про всего них какая много разве эту моя свою этой перед иногда лучше чуть том нельзя такой
        им более всегда конечно всю между это также который которая которое которые которого которой которых
        которым является являются наш наша наши ваш свой своих своей
    """,
    "uk": """
        і й та в у на з із зі до від для по про при за над під між без через після перед але або чи що щоб бо
        тому коли якщо хоча як ніж я ти він вона воно ми ви вони мене мені тебе тобі його йому її їй нас нам вас
        вам їх їм них ним мій моя твій свій свою своїх своєї наш наша ваш себе собі цей ця це ці того тієї тих
        тим ту той те хто кого чого який яка яке які якого якої яких де чому є був була було були бути буде
        будуть не ні так тільки також теж вже ще дуже більше тут там тепер завжди ніколи все всі всіх кожен
        інший інші ніхто нічого може можуть має мають
    """,
    "el": """
        ο η το οι τα του της των τον την τους τις ένας μια μία ένα ενός μιας και ή αλλά όμως ούτε είτε ότι πως
        που αν όταν γιατί επειδή ώστε να θα δεν μη μην σε στο στη στην στον στα στους στις από με για προς κατά
        μετά πριν χωρίς μέχρι ως σαν εγώ εσύ αυτός αυτή αυτό εμείς εσείς αυτοί αυτές αυτά μου σου μας σας μένα
        εσένα ποιος ποια ποιο τι πού πότε όπως όσο όσα κάθε κάποιος κάποια κάτι τίποτα κανείς όλοι όλες όλα όλο
        άλλος άλλη άλλο πολύ πιο εδώ εκεί τώρα πάντα ποτέ είναι είμαι είσαι είμαστε ήταν έχω έχει έχουν είχε
        είχαν μπορεί πρέπει
    """,
    "id": """
        yang dan di ke dari untuk dengan pada dalam oleh sebagai adalah itu ini tersebut tidak bukan akan telah
        sudah sedang masih belum dapat bisa harus juga atau tetapi tapi karena jika kalau bila agar supaya bahwa
        saat ketika setelah sebelum sampai hingga antara atas bawah saya aku kami kita anda kamu dia ia mereka
        nya kepada terhadap tentang seperti lebih sangat paling hanya saja lagi pun para ada semua setiap
        beberapa lain sendiri apa siapa mana kapan mengapa bagaimana sini sana situ menjadi
    """,
}

STOP_WORDS = {code: frozenset(words.split()) for code, words in _LISTS.items()}
"""The built-in lists by ISO 639-1 code of the language."""
