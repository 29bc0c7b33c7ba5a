package lexicon

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// GermanStem returns what the forms of a German word share: "senk" of senkt, gesenkt and senken, "absetz" of
// abgesetzt and abzusetzen, "kind" of Kinder, "nehm" of nimmt. The word is given as it is written: a noun is not
// searched for the forms of verbs. The stem is no word and is not shown.
func GermanStem(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	return germanStem(germanFold(strings.ToLower(word)), !unicode.IsUpper(first))
}

func germanStem(word string, verb bool) string {
	forms := germanForms()
	if stem, ok := forms.irregular[word]; ok {
		return stem
	}
	if stem, ok := forms.separable[word]; ok {
		return stem
	}
	if joined, ok := withoutInfix(word); ok && verb {
		return trimGerman(joined)
	}
	if rest, ok := strings.CutPrefix(word, "ge"); ok && verb && len(rest) >= 5 && (strings.HasSuffix(rest, "t") || strings.HasSuffix(rest, "te") || strings.HasSuffix(rest, "ten") || strings.HasSuffix(rest, "ter") || strings.HasSuffix(rest, "tes") || strings.HasSuffix(rest, "tem")) && !keepsGe(word) {
		return trimGerman(rest)
	}
	return trimGerman(word)
}

// withoutInfix takes "ge" and "zu" out of a verb behind its particle: "hochgestuft", "hochzustufen".
func withoutInfix(word string) (joined string, ok bool) {
	forms := germanForms()
	for at := 2; at <= len(word)-6; at++ {
		infix := word[at : at+2]
		if infix != "ge" && infix != "zu" || !forms.particles[word[:at]] {
			continue
		}
		rest := word[at+2:]
		participle := infix == "ge" && (strings.HasSuffix(rest, "t") || strings.HasSuffix(rest, "te") || strings.HasSuffix(rest, "ten") || strings.HasSuffix(rest, "ter") || strings.HasSuffix(rest, "tes") || strings.HasSuffix(rest, "tem"))
		if participle && !keepsGe(word[at:]) || infix == "zu" && strings.HasSuffix(rest, "en") {
			return word[:at] + rest, true
		}
	}
	return "", false
}

// GermanRoot returns what a verb and the nouns and adjectives made of it share, given their stems: "kontroll" of
// Kontrolle and kontrollieren, "einnehm" of Einnahme and einnehmen.
func GermanRoot(stem string) string {
	for _, ending := range rootEndings {
		if rest, ok := strings.CutSuffix(stem, ending); ok && len(rest) >= leastStem {
			stem = rest
			break
		}
	}
	for noun, verb := range rootVowels {
		if rest, ok := strings.CutSuffix(stem, noun); ok {
			return rest + verb
		}
	}
	return stem
}

var (
	rootEndings = strings.Fields(`igkeit keit heit ation ung end bar lich ni i`)
	rootVowels  = map[string]string{"nahm": "nehm", "gabe": "gebe", "gab": "geb", "stieg": "steig", "griff": "greif", "sprach": "sprech", "schluss": "schliess", "zug": "zieh", "gang": "geh"}
)

// GermanVerb returns the stem of a separable verb whose particle stands at the end of its clause: "nimmt … ein" is
// one of einnehmen. It returns false if they are no such verb.
func GermanVerb(stem, particle string) (joined string, ok bool) {
	joined = trimGerman(germanFold(particle) + stem)
	return joined, germanForms().verbs[joined]
}

// IsGermanParticle reports whether a word may be the particle of a separable verb.
func IsGermanParticle(word string) bool { return germanForms().particles[word] }

// germanStemEndings are the endings of cases, numbers, persons, tenses and comparison.
var germanStemEndings = strings.Fields(`ern em en er es est et e n s st t`)

// trimGerman takes endings off a folded word. What ends in "ss" ends its stem there.
func trimGerman(word string) string {
	for {
		shorter := word
		if !strings.HasSuffix(word, "ss") {
			for _, ending := range germanStemEndings {
				if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= leastStem {
					shorter = rest
					break
				}
			}
		}
		if shorter == word {
			return word
		}
		word = shorter
	}
}

// germanFold writes letters with umlauts without them, but where only they tell two words apart.
func germanFold(word string) string {
	for _, kept := range foldedApart {
		if strings.Contains(word, kept) {
			return strings.ReplaceAll(word, "ß", "ss")
		}
	}
	return germanLetters.Replace(word)
}

var (
	germanLetters = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss")
	foldedApart   = []string{"förder", "drück", "zähl", "schön", "löse", "lösu", "höher"}
	// geWords begin with "ge" that is none of a participle.
	geWords = strings.Fields(`gesamt gesund gehor gestalt gewahr gewohn gefahrd gestat gelangt genug gebiet gebuhr gemut
		geleit gewicht gesicht gericht gerat gestern geburt gehalt geschaft gestoss geltend gehort gehorte gefallt gelegt`)
)

func keepsGe(word string) bool {
	for _, w := range geWords {
		if strings.HasPrefix(word, w) {
			return true
		}
	}
	return false
}

// strongVerbs has an infinitive and those of its forms whose stem is another; a participle with "ge" stands last.
const strongVerbs = `
nehmen nimmt nimm nahm nahmen genommen
geben gibt gib gab gaben gegeben
essen isst ass assen gegessen
treffen trifft traf trafen getroffen
steigen stieg stiegen gestiegen
sinken sank sanken gesunken
fallen fallt fiel fielen gefallen
halten halt hielt hielten gehalten
lassen lasst liess liessen gelassen
laufen lauft lief liefen gelaufen
schliessen schloss schlossen geschlossen
verlieren verlor verloren
beginnen begann begannen begonnen
sprechen spricht sprach sprachen gesprochen
wachsen wachst wuchs wuchsen gewachsen
helfen hilft half halfen geholfen
sehen sieht sah sahen gesehen
lesen liest las lasen gelesen
tragen tragt trug trugen getragen
schlagen schlagt schlug schlugen geschlagen
empfehlen empfiehlt empfahl empfahlen empfohlen
bringen brachte brachten gebracht
denken dachte dachten gedacht
bleiben blieb blieben geblieben
schreiben schrieb schrieben geschrieben
treiben trieb trieben getrieben
stehen stand standen gestanden
gehen ging gingen gegangen
ziehen zog zogen gezogen
bieten bot boten geboten
weisen wies wiesen gewiesen
treten tritt trat traten getreten
werfen wirft warf warfen geworfen
sterben stirbt starb starben gestorben
greifen griff griffen gegriffen
messen misst mass massen gemessen
trinken trank tranken getrunken
finden fand fanden gefunden
binden band banden gebunden
schneiden schnitt schnitten geschnitten
meiden mied mieden gemieden
brechen bricht brach brachen gebrochen
kommen kam kamen gekommen
liegen lag lagen gelegen
rufen rief riefen gerufen
fahren fahrt fuhr fuhren gefahren
raten rat riet rieten geraten
nennen nannte nannten genannt
kennen kannte kannten gekannt
brennen brannte brannten gebrannt
wenden wandte wandten gewandt
schaffen schuf schufen geschaffen
scheiden schied schieden geschieden
schwinden schwand schwanden geschwunden
springen sprang sprangen gesprungen
dringen drang drangen gedrungen
zwingen zwang zwangen gezwungen
singen sang sangen gesungen
giessen goss gossen gegossen
fliessen floss flossen geflossen
wiegen wog wogen gewogen
heben hob hoben gehoben
schieben schob schoben geschoben
laden ladt lud luden geladen
fangen fangt fing fingen gefangen
hangen hing hingen gehangen
schlafen schlaft schlief schliefen geschlafen
stossen stosst stiess stiessen gestossen
vergessen vergisst vergass vergassen
werben wirbt warb warben geworben
gelten gilt galt galten gegolten
tun tut tat taten getan
sitzen sass sassen gesessen
leiden litt litten gelitten
reissen riss rissen gerissen
streichen strich strichen gestrichen
weichen wich wichen gewichen
leihen lieh liehen geliehen
verzeihen verzieh verziehen
geschehen geschieht geschah geschahen
wissen weiss wusste wussten gewusst
bitten bat baten gebeten
sieden sott gesotten
erschrecken erschrickt erschrak erschrocken
genesen genas genasen
`

// verbPrefixes stand before the verbs above; those of separableParticles may stand apart.
const verbPrefixes = `be emp ent er miss ver zer hinter voll wider uber unter um durch`

const separableParticles = `ab an auf aus bei dar ein fern fest fort frei her heraus herunter hin hinzu hoch los mit nach nieder
	statt teil uber um vor voran voraus vorbei weg weiter wieder zu zuruck zusammen auseinander bereit hinaus runter herab herbei
	durch unter still wahr kennen fertig krank gut gesund wiederher vorher heran hervor hinauf hinein empor entgegen davon gegenuber`

// separableVerbs are verbs whose particle stands at the end of a main clause.
const separableVerbs = `absetzen abnehmen absenken abklären ablehnen ablaufen abgeben abbrechen abschalten abschließen absagen abmelden
	abhängen abweichen abziehen abbuchen abrechnen abraten abstellen abfallen abheilen abklingen absinken abholen absichern abspeichern
	abtrennen abwarten abwenden abdecken anfangen anpassen ansteigen anheben anwenden angeben ankündigen anmelden annehmen anordnen
	anrufen anschließen ansprechen antreten anzeigen anlegen anfordern anbieten angreifen anregen anhalten anfallen anhängen ansehen
	ansetzen anschalten anklicken aufbewahren aufhören aufnehmen auftreten aufweisen aufheben aufklären aufrufen aufsuchen
	aufschieben aufteilen aufwachen aufzeichnen aufschlagen aufmachen ausfallen ausführen ausfüllen ausgeben ausgehen ausgleichen
	auslösen ausreichen ausschalten ausschließen ausscheiden aussetzen ausspülen ausstellen austauschen austreten auswählen auswirken
	auszahlen ausüben beitragen beitreten beilegen beifügen darstellen einbauen einbeziehen einfügen einführen einhalten einladen
	einleiten einnehmen einreichen einrichten einschalten einschließen einschränken einsetzen einstellen eintragen eintreten
	einziehen einlagern einspritzen einpflanzen einplanen einbinden einatmen einwilligen einstufen fernhalten festlegen feststellen
	festsetzen fortsetzen fortführen freigeben freischalten herausfinden herstellen herunterfahren herunterladen hervorrufen hinweisen
	hinzufügen hinzuziehen hochladen hochfahren löslassen mitbringen mitnehmen mitteilen mitwirken nachlassen nachweisen nachholen
	nachprüfen nachreichen nachfragen stattfinden teilnehmen übergehen umgehen umsetzen umstellen umwandeln umziehen umsteigen
	vorbeugen vorbereiten vorgeben vorhalten vorkommen vorlegen vorliegen vornehmen vorschlagen vorschreiben vorsehen voraussetzen
	vorstellen weglassen wegfallen wegnehmen weitergeben weiterleiten weiterführen weitermachen wiederholen wiederherstellen
	zulassen zunehmen zurückgeben zurückgehen zurücksetzen zurückziehen zurückzahlen zurückführen zusammenfassen zusammenhängen
	zustimmen zutreffen zuordnen zugreifen zukommen zurückbilden zuführen verlorengehen`

// otherForms has a stem and forms of it that no rule finds.
const otherForms = `
tag tag tage tagen tages
ort ort orte orten ortes orts
arm arm arme armen arms
amt amt amter amtern amtes amts
weg weg wege wegen weges wegs
art art arten
typ typ typen typs
ohr ohr ohren ohrs
rad rad rader radern
zug zug zuge zugen
rat rat rates
hoch hoch hohe hohen hoher hohes hohem
höher höhere höheren höherer höheres höherem
hochst hochste hochsten hochster hochstes
niedrig niedrig niedrige niedrigen niedriger niedrigere niedrigeren niedrigste niedrigsten
alter altere alteren alterer alteres alterem
alt alt alte alten altes altem
lang lang lange langen langes langem
langer langere langeren langerer
nah nah nahe nahen naher nachste nachsten
gut gut gute guten guter gutes gutem
besser besser bessere besseren besserer besseres
nacht nacht nachte nachten nachts
medikament medikament medikamente medikamenten medikaments medikamentes
arzt arzt arzte arzten arztes arztin arztinnen
patient patient patienten patientin patientinnen
thema thema themen themas
risiko risiko risiken risikos
dosis dosis dosen
praxis praxis praxen
konto konto konten kontos
datum datum daten datums
virus virus viren
museum museum museen
mus muss musst mussen musste mussten
kon kann kannst konnen konnt
durf darf darfst durfen durft
soll soll sollst sollen sollt sollte sollten
`

type forms struct {
	irregular, separable map[string]string
	verbs, particles     map[string]bool
}

var germanForms = sync.OnceValue(func() forms {
	f := forms{map[string]string{}, map[string]string{}, map[string]bool{}, map[string]bool{}}
	plain := func(word string) string { return trimGerman(germanFold(word)) }
	for line := range strings.Lines(otherForms) {
		if words := strings.Fields(line); len(words) > 1 {
			for _, form := range words[1:] {
				f.irregular[form] = words[0]
			}
		}
	}
	particles := strings.Fields(separableParticles)
	for _, p := range particles {
		f.particles[p] = true
	}
	f.particles["zurück"], f.particles["über"] = true, true
	for line := range strings.Lines(strongVerbs) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		add := func(prefix string) {
			stem := plain(prefix + words[0])
			for _, form := range words {
				for _, ending := range []string{"", "e", "en", "er", "es", "em"} {
					if ending != "" && !strings.HasSuffix(form, "en") && !strings.HasSuffix(form, "t") {
						continue
					}
					f.irregular[prefix+form+ending] = stem
					if rest, ok := strings.CutPrefix(form, "ge"); ok && prefix != "" && form == words[len(words)-1] {
						f.irregular[prefix+rest+ending] = stem
					}
				}
			}
		}
		add("")
		for _, prefix := range strings.Fields(verbPrefixes) {
			add(prefix)
		}
		for _, prefix := range particles {
			add(prefix)
			f.irregular[prefix+"zu"+words[0]] = plain(prefix + words[0])
		}
	}
	for _, verb := range strings.Fields(separableVerbs) {
		folded := germanFold(verb)
		stem := plain(verb)
		f.verbs[stem] = true
		for _, p := range particles {
			rest, ok := strings.CutPrefix(folded, p)
			if !ok || len(rest) < 4 {
				continue
			}
			root := trim(rest, []string{"en", "n"}, 3)
			f.separable[p+"zu"+rest] = stem
			for _, ending := range []string{"t", "te", "ten", "ter", "tes", "tem", "et", "ete", "eten", "eter", "etes"} {
				f.separable[p+"ge"+root+ending] = stem
			}
		}
	}
	return f
})
