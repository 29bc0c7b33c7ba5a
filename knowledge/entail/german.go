package entail

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/lexicon"
	"lacuna/knowledge/plaintext"
)

var (
	opensGermanClause = plaintext.Set(`und oder aber sondern sowie während wobei`)
	germanNumerals    = map[string]string{
		"zwei": "2", "zweien": "2", "drei": "3", "dreien": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "elf": "11",
		"zwölf": "12", "dreizehn": "13", "vierzehn": "14", "fünfzehn": "15", "sechzehn": "16", "siebzehn": "17", "achtzehn": "18", "neunzehn": "19", "zwanzig": "20", "dreißig": "30", "vierzig": "40",
		"fünfzig": "50", "sechzig": "60", "siebzig": "70", "achtzig": "80", "neunzig": "90", "hundert": "100", "tausend": "1000",
		"einmal": "1", "zweimal": "2", "dreimal": "3", "viermal": "4", "fünfmal": "5", "sechsmal": "6", "achtmal": "8", "zehnmal": "10",
	}
	// germanLemmas has one form of the verbs of grammar for all.
	germanLemmas = func() map[string]string {
		table := make(map[string]string)
		for _, forms := range []string{
			"müssen muss musst müsste mussten musste", "sollen soll sollst sollte sollten", "können kann kannst könnt könnte konnte konnten könnten", "dürfen darf darfst durfte dürfte",
			"werden werde wird wurde wurden würde würden worden geworden", "sein bin bist ist sind seid war waren wäre wären gewesen", "haben habe hab hast hat habt hatte hatten hätte hätten gehabt",
			"lassen lässt lasse", "wollen will wollte", "mögen mag möchte möchten",
		} {
			words := strings.Fields(forms)
			for _, form := range words {
				table[form] = words[0]
			}
		}
		return table
	}()
	germanNegators = map[string]string{
		"nicht": "nicht", "kein": "kein", "keine": "kein", "keinen": "kein", "keinem": "kein", "keiner": "kein", "keines": "kein", "keinerlei": "kein", "nie": "nie", "niemals": "nie",
		"niemand": "niemand", "nichts": "nichts", "ohne": "ohne", "weder": "weder", "kaum": "kaum", "keinesfalls": "nicht", "keineswegs": "nicht", "nirgends": "nirgends",
	}
	// englishHomographs are spelt like English words that a table knows.
	englishHomographs = plaintext.Set(`die was war an am in so will hat also fall falls man bald not left links rot after last rose rate be do at by to of on is it as or if no all
		over under her us me my links most must can may want wider arm alone even still off mine wild fast gut both ever just still`)
	germanGrammar = plaintext.Set(`der die das den dem des ein eine einen einem einer eines ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen man jemand etwas was
		mein meine meinen meinem meiner dein deine deinen deinem deiner sein seine seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer
		dieser diese dieses diesen diesem jener jene jenes jenen jenem jeder jede jedes jeden jedem alle allen aller alles allem wer wem wen wessen wie wo wohin woher wann warum
		welche welcher welches welchen welchem deren dessen denen und oder aber denn sondern als dass daß ob wenn weil falls damit obwohl während bevor nachdem sobald solange sowie sofern
		in im ins an am auf aus bei beim bis durch für gegen hinter mit nach neben seit über um unter von vom vor zu zum zur zwischen wegen trotz gegenüber ab pro je per
		bin bist ist sind seid war waren wäre wären gewesen habe hab hast hat haben habt hatte hatten hätte hätten gehabt werde wirst wird werden werdet wurde wurden würde würden worden geworden
		kann kannst können könnt konnte konnten könnte könnten darf darfst dürfen durfte dürfte muss musst müssen müsste musste mussten soll sollst sollen sollte sollten
		will wollen wollte mag möchte möchten lässt lassen lasse nur auch noch schon sehr so doch mal dann da dort hier jetzt nun immer wieder einfach eigentlich
		dabei dafür daran darauf davon dazu dadurch darüber daraus darin darum damit daher deshalb dagegen dennoch jedoch hierbei hierzu hierfür wobei wodurch womit wofür
		ja nein bitte mehr viel viele vielen etwa circa ca rund ungefähr z b bzw usw etc vgl sog ggf x gerade eben zwar nämlich bereits ebenfalls ebenso außerdem zudem
		max mind inkl exkl lt gem zzgl insbesondere insgesamt jeweils jeweilig jeweilige jeweiligen beziehungsweise hin her natürlich leider selbst selber stets üblicherweise`)
	germanLight = func() map[string]bool {
		set := make(map[string]bool)
		for _, w := range strings.Fields(`machen gehen kommen geben bleiben stehen liegen halten bringen nehmen setzen stellen legen finden sehen zeigen gelten bedeuten heißen handeln erfolgen
			betragen bestehen geschehen vorliegen durchführen stattfinden sagen wissen denken nennen erhalten bekommen brauchen benötigen helfen dienen betreffen verwenden nutzen benutzen
			einsetzen anwenden Mensch Menschen Person Personen Leute Patient Fall Fälle Sache Ding Art Weise Teil Bereich Punkt Grund Zeit Zeitpunkt Beispiel Form Möglichkeit Menge Zahl Anzahl Höhe
			Wert Angabe Information Frage Antwort Ziel Mittel Problem Erkrankung Krankheit Behandlung Medikament Arznei Arzneimittel Arzt Leitlinie Handbuch Studie Ergebnis Wirkung Folge
			gut neu groß klein wichtig möglich üblich normal allgemein bestimmt verschieden weiter ander einzeln gesamt eigen ganz gleich aktuell zusätzlich entsprechend notwendig nötig erforderlich
			meist oft häufig manchmal normalerweise grundsätzlich generell sogar genau direkt wirklich vielleicht lediglich bloß eher ziemlich besonders vorallem sämtlich stattdessen zuerst zunächst danach anschließend
			sollen müssen können dürfen mal Uhr`) {
			set[lexicon.GermanStem(w)] = true
		}
		return set
	}()
)

// germanMarks rewrites what German writes in its own way, so that figures are read as elsewhere: "3 x tgl.", "30-mal",
// "am 3. Tag", "75-Jährige", "ab 12 J.".
func germanMarks(marks []mark) []mark {
	all := make([]mark, 0, len(marks))
	at := func(i int) mark {
		if i < 0 || i >= len(marks) {
			return mark{kind: signMark, spaced: true}
		}
		return marks[i]
	}
	for i := 0; i < len(marks); i++ {
		m, next, after := marks[i], at(i+1), at(i+2)
		switch {
		case m.kind == wordMark && next.text == "." && !next.spaced && germanShort[m.text] != "":
			if long := germanShort[m.text]; long != "." && (periods[long] == 0 || at(i-1).kind == digitMark) {
				m.text = long
			}
			all = append(all, m)
			if end := at(i + 2); end.kind == signMark || i+2 >= len(marks) || end.opens {
				continue // the point may end the sentence, too
			}
			i++
			continue
		case m.kind == wordMark && germanShort[m.text] != "" && germanShort[m.text] != "." && periods[germanShort[m.text]] == 0:
			m.text = germanShort[m.text]
		case m.kind == digitMark && next.text == "." && !next.spaced && after.spaced && !after.opens && germanOrdinals[after.text]:
			th := next
			th.text, th.kind = "th", wordMark
			if strings.HasPrefix(after.text, "lebensjahr") {
				th.text, after.text = "jahre", "alt"
				all = append(all, m, th, after)
				i += 2
				continue
			}
			all = append(all, m, th)
			i++
			continue
		case labels[m.text] && next.text == "-" && !next.spaced && !after.spaced && after.kind == digitMark: // "Typ-1-Diabetes"
			all = append(all, m)
			i++
			continue
		case m.kind == digitMark && next.text == "-" && !next.spaced && !after.spaced:
			switch period := germanLasting[strings.TrimRight(after.text, "nrsm")]; {
			case after.text == "mal" || after.text == "fach":
				all = append(all, m)
				i++
				continue
			case period == "jahre":
				next.text, next.kind, after.text = period, wordMark, "alt"
				all = append(all, m, next, after)
				i += 2
				continue
			case period != "":
				after.text = period
				all = append(all, m, after)
				i += 2
				continue
			}
		}
		all = append(all, m)
	}
	return all
}

var (
	// germanShort has abbreviations that end with a point, and what they stand for if figures are read by it.
	germanShort = map[string]string{
		"tgl": "täglich", "tägl": "täglich", "wö": "wöchentlich", "wöch": "wöchentlich", "mtl": "monatlich", "stdl": "stündlich", "jährl": "jährlich", "std": "stunden", "stdn": "stunden", "min": "minuten", "sek": "sekunden",
		"j": "jahre", "jhr": "jahre", "lj": "jahre", "wo": "wochen", "mon": "monate", "tg": "tage", "mind": "mindestens", "mio": "millionen", "mrd": "milliarden", "max": "maximal", "ca": "circa", "bzw": ".", "inkl": ".", "ggf": ".", "evtl": ".", "z": ".", "b": ".", "u": ".", "a": ".",
		"usw": ".", "etc": ".", "nr": ".", "s": ".", "vgl": ".", "sog": ".", "abs": ".", "tab": ".", "tbl": ".", "kps": ".", "pat": ".", "dr": ".", "st": ".", "str": ".", "d": ".", "h": ".", "o": ".", "i": ".", "v": ".", "p": ".",
	}
	// germanOrdinals are words before which a number with a point is one of an order.
	germanOrdinals = func() map[string]bool {
		set := plaintext.Set(`tag tage woche monat jahr quartal trimenon trimester lebensjahr lebensjahres lebensmonat lebenswoche schwangerschaftswoche ssw wahl mal stunde stock etage klasse semester schritt stufe`)
		for name := range months {
			set[name] = true
		}
		return set
	}()
	// germanLasting has what words of a length of time stand for, without their endings.
	germanLasting = map[string]string{"jährige": "jahre", "jährig": "jahre", "tägige": "tage", "tägig": "tage", "wöchige": "wochen", "wöchig": "wochen", "monatige": "monate", "monatig": "monate", "stündige": "stunden", "stündig": "stunden", "minütige": "minuten", "minütig": "minuten"}
)

// germanTokens gives tokens the stems of their words and leaves out those of grammar.
func germanTokens(text string, tokens []lexical.Token) []lexical.Token {
	kept := tokens[:0]
	for _, t := range tokens {
		word := text[t.Start:t.End]
		if lower := strings.ToLower(word); germanGrammar[lower] || germanNegators[lower] != "" {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(r) && !lexical.IsHan(word) {
			t.Term = lexicon.GermanStem(word)
		}
		kept = append(kept, t)
	}
	return kept
}
