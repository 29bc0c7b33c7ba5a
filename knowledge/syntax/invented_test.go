package syntax

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What treebanks of mails and news lack are the plain sentences of notes and manuals, about things with names that nobody
// has seen: "Fluconazole inhibits CYP3A4". So weights learn from some that are made here of patterns. In a
// pattern a word is written form/class/head/relation with _ for the space in a class. NAME and NOUN stand for nouns,
// V3, VB, VN and VG for the forms of a verb ("raises", "raise", "raised", "raising").

var patterns = map[string][]string{
	"en": {
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root NAME/NOUN_NN/2/obj ./PUNCT/2/punct",
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root NOUN/NOUN_NNS/2/obj ./PUNCT/2/punct",
		"NOUN/NOUN_NNS/2/nsubj VB/VERB_VBP/0/root NAME/NOUN_NN/2/obj ./PUNCT/2/punct",
		"The/DET_DT/2/det THING/NOUN_NN/3/nsubj V3/VERB_VBZ/0/root the/DET_DT/5/det THING/NOUN_NN/3/obj ./PUNCT/3/punct",
		"The/DET_DT/2/det THING/NOUN_NN/3/nsubj VD/VERB_VBD/0/root the/DET_DT/5/det THING/NOUN_NN/3/obj ./PUNCT/3/punct",
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root the/DET_DT/4/det THING/NOUN_NN/2/obj of/ADP_IN/6/case NAME/NOUN_NN/4/nmod ./PUNCT/2/punct",
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root NAME/NOUN_NN/2/obj and/CCONJ_CC/5/cc V3/VERB_VBZ/2/conj the/DET_DT/7/det THING/NOUN_NN/5/obj of/ADP_IN/9/case NAME/NOUN_NN/7/nmod ./PUNCT/2/punct",
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root and/CCONJ_CC/4/cc V3/VERB_VBZ/2/conj NAME/NOUN_NN/2/obj ./PUNCT/2/punct",
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root NAME/NOUN_NN/2/obj and/CCONJ_CC/5/cc NAME/NOUN_NN/3/conj ./PUNCT/2/punct",
		"NAME/NOUN_NN/2/nsubj V3/VERB_VBZ/0/root and/CCONJ_CC/5/cc NAME/NOUN_NN/5/nsubj V3/VERB_VBZ/2/conj NOUN/NOUN_NNS/5/obj ./PUNCT/2/punct",
		"NAME/NOUN_NN/4/nsubj and/CCONJ_CC/3/cc NAME/NOUN_NN/1/conj VB/VERB_VBP/0/root NAME/NOUN_NN/4/obj ./PUNCT/4/punct",
		"NAME/NOUN_NN/4/nsubj or/CCONJ_CC/3/cc NAME/NOUN_NN/1/conj V3/VERB_VBZ/0/root NOUN/NOUN_NNS/4/obj in/ADP_IN/7/case NOUN/NOUN_NNS/4/obl ./PUNCT/4/punct",
		"NAME/NOUN_NN/3/nsubj:pass is/AUX_VBZ/3/aux:pass VN/VERB_VBN/0/root by/ADP_IN/5/case NAME/NOUN_NN/3/obl:agent ./PUNCT/3/punct",
		"NOUN/NOUN_NNS/3/nsubj:pass are/AUX_VBP/3/aux:pass VN/VERB_VBN/0/root by/ADP_IN/5/case NAME/NOUN_NN/3/obl:agent ./PUNCT/3/punct",
		"NAME/NOUN_NN/4/nsubj:pass should/AUX_MD/4/aux be/AUX_VB/4/aux:pass VN/VERB_VBN/0/root with/ADP_IN/6/case NAME/NOUN_NN/4/obl ./PUNCT/4/punct",
		"NAME/NOUN_NN/4/nsubj does/AUX_VBZ/4/aux not/PART_RB/4/advmod VB/VERB_VB/0/root NAME/NOUN_NN/4/obj ./PUNCT/4/punct",
		"NAME/NOUN_NN/3/nsubj may/AUX_MD/3/aux VB/VERB_VB/0/root the/DET_DT/5/det THING/NOUN_NN/3/obj of/ADP_IN/7/case NAME/NOUN_NN/5/nmod ./PUNCT/3/punct",
		"NAME/NOUN_NN/7/nsubj ,/PUNCT/4/punct which/PRON_WDT/4/nsubj V3/VERB_VBZ/1/acl:relcl NAME/NOUN_NN/4/obj ,/PUNCT/4/punct V3/VERB_VBZ/0/root NOUN/NOUN_NNS/7/obj ./PUNCT/7/punct",
		"The/DET_DT/2/det THING/NOUN_NN/6/nsubj that/PRON_WDT/4/nsubj V3/VERB_VBZ/2/acl:relcl NAME/NOUN_NN/4/obj V3/VERB_VBZ/0/root NOUN/NOUN_NNS/6/obj ./PUNCT/6/punct",
		"The/DET_DT/2/det THING/NOUN_NN/7/nsubj that/PRON_WDT/6/obj the/DET_DT/5/det THING/NOUN_NN/6/nsubj V3/VERB_VBZ/2/acl:relcl V3/VERB_VBZ/0/root NAME/NOUN_NN/7/obj ./PUNCT/7/punct",
		"NOUN/NOUN_NNS/5/nsubj VG/VERB_VBG/1/acl NAME/NOUN_NN/2/obj should/AUX_MD/5/aux VB/VERB_VB/0/root NAME/NOUN_NN/5/obj ./PUNCT/5/punct",
		"If/SCONJ_IN/4/mark the/DET_DT/3/det THING/NOUN_NN/4/nsubj V3/VERB_VBZ/7/advcl NOUN/NOUN_NNS/4/obj ,/PUNCT/4/punct VB/VERB_VB/0/root NAME/NOUN_NN/7/obj ./PUNCT/7/punct",
		"VB/VERB_VB/0/root NAME/NOUN_NN/1/obj if/SCONJ_IN/6/mark the/DET_DT/5/det THING/NOUN_NN/6/nsubj V3/VERB_VBZ/1/advcl NOUN/NOUN_NNS/6/obj ./PUNCT/1/punct",
		"Inhibition/NOUN_NN/6/nsubj of/ADP_IN/3/case NAME/NOUN_NN/1/nmod by/ADP_IN/5/case NAME/NOUN_NN/1/nmod V3/VERB_VBZ/0/root NAME/NOUN_NN/6/obj ./PUNCT/6/punct",
		"NOUN/NOUN_NNS/3/nsubj:pass were/AUX_VBD/3/aux:pass given/VERB_VBN/0/root NAME/NOUN_NN/3/obj by/ADP_IN/7/case the/DET_DT/7/det THING/NOUN_NN/3/obl:agent ./PUNCT/3/punct",
		"A/DET_DT/2/det THING/NOUN_NN/4/nsubj:pass is/AUX_VBZ/4/aux:pass VN/VERB_VBN/0/root to/ADP_IN/7/case the/DET_DT/7/det THING/NOUN_NN/4/obl by/ADP_IN/10/case the/DET_DT/10/det THING/NOUN_NN/4/obl:agent ./PUNCT/4/punct",
		"NOUN/NOUN_NNS/6/nsubj ,/PUNCT/4/punct not/PART_RB/4/advmod NOUN/NOUN_NNS/1/conj ,/PUNCT/4/punct VB/VERB_VBP/0/root NAME/NOUN_NN/6/obj ./PUNCT/6/punct",
		"NAME/NOUN_NN/0/root :/PUNCT/4/punct 5/NUM_CD/4/nummod mg/NOUN_NN/1/appos daily/ADV_RB/4/advmod",
		"NAME/NOUN_NN/0/root 20/NUM_CD/3/nummod mg/NOUN_NN/1/nmod twice/ADV_RB/5/advmod daily/ADV_RB/3/advmod",
		"No/DET_DT/2/det NAME/NOUN_NN/0/root with/ADP_IN/4/case NAME/NOUN_NN/2/nmod",
	},
	"de": {
		"NAME/NOUN_Nom/2/nsubj V3/VERB_Fin/0/root NAME/NOUN_Acc/2/obj ./PUNCT/2/punct",
		"NAME/NOUN_Nom/5/nsubj:pass wird/AUX_Fin/5/aux:pass durch/ADP/4/case NAME/NOUN_Acc/5/obl:agent VN/VERB_Part/0/root ./PUNCT/5/punct",
		"Der/DET_Nom/2/det MANN/NOUN_Nom/6/nsubj:pass wird/AUX_Fin/6/aux:pass vom/ADP/5/case MANN/NOUN_Dat/6/obl:agent VN/VERB_Part/0/root ./PUNCT/6/punct",
		"Der/DET_Nom/2/det MANN/NOUN_Nom/3/nsubj V3/VERB_Fin/0/root die/DET_Acc/5/det FRAU/NOUN_Acc/3/obj ./PUNCT/3/punct",
		"Den/DET_Acc/2/det MANN/NOUN_Acc/3/obj V3/VERB_Fin/0/root die/DET_Nom/5/det FRAU/NOUN_Nom/3/nsubj ./PUNCT/3/punct",
		"Den/DET_Acc/2/det MANN/NOUN_Acc/3/obj V3/VERB_Fin/0/root der/DET_Nom/5/det MANN/NOUN_Nom/3/nsubj ./PUNCT/3/punct",
		"Die/DET_Nom/2/det FRAU/NOUN_Nom/3/nsubj V3/VERB_Fin/0/root den/DET_Acc/5/det MANN/NOUN_Acc/3/obj ./PUNCT/3/punct",
		"Der/DET_Nom/2/det MANN/NOUN_Nom/8/nsubj ,/PUNCT/7/punct der/PRON_Nom,Rel/7/nsubj die/DET_Acc/6/det FRAU/NOUN_Acc/7/obj V3/VERB_Fin/2/acl:relcl V3/VERB_Fin/0/root die/DET_Acc/10/det FRAU/NOUN_Acc/8/obj ./PUNCT/8/punct",
		"Wenn/SCONJ/5/mark der/DET_Nom/3/det MANN/NOUN_Nom/5/nsubj NAME/NOUN_Acc/5/obj V3/VERB_Fin/10/advcl ,/PUNCT/5/punct soll/AUX_Fin/10/aux er/PRON_Nom/10/nsubj NAME/NOUN_Acc/10/obj VB/VERB_Inf/0/root ./PUNCT/10/punct",
		"NAME/NOUN_Nom/2/nsubj V3/VERB_Fin/0/root nicht/PART/2/advmod mit/ADP/5/case NAME/NOUN_Dat/2/obl ./PUNCT/2/punct",
		"Die/DET_Nom/2/det FRAU/NOUN_Nom/3/nsubj V3/VERB_Fin/0/root dem/DET_Dat/5/det MANN/NOUN_Dat/3/iobj keine/DET_Acc/7/det FRAU/NOUN_Acc/3/obj ./PUNCT/3/punct",
		"NAME/NOUN_Nom/4/nsubj und/CCONJ/3/cc NAME/NOUN_Nom/1/conj VB/VERB_Fin/0/root NAME/NOUN_Acc/4/obj ./PUNCT/4/punct",
		"NAME/NOUN_Nom/6/nsubj:pass darf/AUX_Fin/6/aux nicht/PART/6/advmod mit/ADP/5/case NAME/NOUN_Dat/6/obl VN/VERB_Part/0/root werden/AUX_Inf/6/aux:pass ./PUNCT/6/punct",
	},
}

var nouns = map[string][]string{
	"NOUN":  strings.Fields("patients doctors nurses levels tablets children women symptoms servers clients files users requests platelets effects risks kidneys drugs packets keys bones adults opioids nerves cells"),
	"THING": strings.Fields("patient doctor nurse level tablet child woman drug server client file user request effect risk kidney liver packet cache proxy key dose installer dog man committee rash infection disease pump"),
	"MANN":  strings.Fields("Patient Arzt Server Wert Spiegel Hund Mann Dienst Nutzer Client Wirkstoff Blutdruck Schmerz Lehrer Pfleger Antrag"),
	"FRAU":  strings.Fields("Ärztin Pflegerin Dosis Wirkung Datei Anfrage Verbindung Frau Leber Niere Tablette Krankheit Lehrerin Infektion Firma"),
}

// germanVerbs are the third person, the infinitive and the participle.
var germanVerbs = strings.Fields(`erhöht erhöhen erhöht senkt senken gesenkt hemmt hemmen gehemmt verschreibt verschreiben verschrieben behandelt
behandeln behandelt sendet senden gesendet schließt schließen geschlossen öffnet öffnen geöffnet verursacht verursachen verursacht verstärkt verstärken verstärkt
meidet meiden gemieden nimmt nehmen genommen prüft prüfen geprüft löscht löschen gelöscht ruft rufen gerufen blockiert blockieren blockiert ersetzt ersetzen ersetzt
gibt geben gegeben zeigt zeigen gezeigt untersucht untersuchen untersucht beendet beenden beendet lehrt lehren gelehrt verlängert verlängern verlängert bringt bringen gebracht`)

// inventedName returns a noun as drugs, enzymes and programs are called.
func inventedName(random *rand.Rand) string {
	pick := func(of string) string { all := strings.Fields(of); return all[random.IntN(len(all))] }
	if random.IntN(8) == 0 {
		return pick("CYP TNF HER IL PDE MTX ACE SSH DNS NSAID TLS") + pick("3A4 2D6 1 2 5 B12 7")
	}
	name := ""
	for range 1 + random.IntN(3) {
		name += pick("lo me ri sa ta do fe ni pra ca cla thro va zi xe bu am eno per gli")
	}
	return name + pick("pril statin zole mycin ine ol ide ate fen mab xin lin cin arin pam in one um ium")
}

// invented returns sentences that are made of the patterns.
func invented(t *testing.T, language string, count int) []gold {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	var bases []string
	if language == "en" {
		data, err := os.ReadFile("../question/verbs.txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			if line != "" && line[0] != '#' && line[0] != '=' {
				bases = append(bases, strings.Fields(line)[0])
			}
		}
		bases = append(bases, strings.Fields("raise block lower inhibit increase reduce cause induce prescribe treat excrete delete send reject close copy raise block lower increase reduce own bite")...)
	}
	var all []gold
	for range count {
		pattern := patterns[language][random.IntN(len(patterns[language]))]
		var g gold
		for i, cellText := range strings.Fields(pattern) {
			f := strings.Split(cellText, "/")
			form := f[0]
			switch {
			case form == "NAME":
				form = inventedName(random)
				if language == "de" {
					form = title(form)
				}
			case nouns[form] != nil:
				form = nouns[form][random.IntN(len(nouns[form]))]
			case language == "de" && (form == "V3" || form == "VB" || form == "VN"):
				k := 3 * random.IntN(len(germanVerbs)/3)
				form = germanVerbs[k+map[string]int{"V3": 0, "VB": 1, "VN": 2}[form]]
			case form == "V3" || form == "VB" || form == "VN" || form == "VG" || form == "VD":
				form = inflect(bases[random.IntN(len(bases))], form)
			}
			if i == 0 {
				form = title(form)
			}
			head := 0
			for _, r := range f[2] {
				head = 10*head + int(r-'0')
			}
			g.words = append(g.words, Word{Text: form, Head: head - 1, Relation: Relation(f[3])})
			g.class = append(g.class, strings.ReplaceAll(f[1], "_", " "))
		}
		all = append(all, g)
	}
	return all
}

func title(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// inflect returns a form of a regular verb.
func inflect(base, form string) string {
	last := base[len(base)-1]
	consonant := len(base) > 1 && !strings.ContainsRune("aeiou", rune(base[len(base)-2]))
	switch form {
	case "V3":
		switch {
		case last == 'y' && consonant:
			return base[:len(base)-1] + "ies"
		case last == 's' || last == 'x' || last == 'z' || strings.HasSuffix(base, "ch") || strings.HasSuffix(base, "sh"):
			return base + "es"
		}
		return base + "s"
	case "VN", "VD":
		switch {
		case last == 'e':
			return base + "d"
		case last == 'y' && consonant:
			return base[:len(base)-1] + "ied"
		}
		return base + "ed"
	case "VG":
		if last == 'e' && consonant {
			return base[:len(base)-1] + "ing"
		}
		return base + "ing"
	}
	return base
}
