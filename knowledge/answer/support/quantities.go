package support

import (
	"regexp"
	"strings"

	"lacuna/knowledge/lexical"
)

// quantity is a number with the unit behind it, both normalised; the unit is empty if none is known.
type quantity struct{ number, unit string }

var (
	// quantityPattern matches a number in digits, with what follows it directly.
	quantityPattern = regexp.MustCompile(`(\d+(?:[.,]\d+)*)\s*(%|‰|°\s?[CF]|[µμ]?\p{L}+)?`)
	// numberWords matches a small number in words, English or Chinese. Chinese ones count only before a
	// measure, because they are parts of many words.
	numberWords = regexp.MustCompile(`(?i)\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice)\b(?:[\s-]+(\p{L}+))?|` +
		`([一二两三四五六七八九十])\s*个?(毫克|微克|克|毫升|升|片|粒|次|天|日|周|月|年|小时|分钟|岁)`)
)

// afterOnce lists the words before which "once" says how often, and not when.
var afterOnce = map[string]bool{
	"": true, "a": true, "an": true, "per": true, "every": true, "each": true, "in": true, "or": true, "only": true,
	"hourly": true, "daily": true, "nightly": true, "weekly": true, "monthly": true, "yearly": true,
}

var numerals = map[string]string{
	"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "once": "1", "twice": "2",
	"一": "1", "二": "2", "两": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10",
}

// units maps each spelling of a unit to the one it is compared in. A word that is no unit says what is
// counted, and may well be another word in the source.
var units = func() map[string]string {
	spellings := map[string]string{}
	for _, same := range []string{
		"mg milligram milligrams 毫克", "µg μg mcg ug microgram micrograms 微克", "g gram grams 克", "kg kilogram kilograms 千克 公斤",
		"ml millilitre millilitres milliliter milliliters 毫升", "l litre litres liter liters 升", "dl",
		"% percent 百分比", "‰", "mmol", "mol", "iu 单位", "units unit", "mmhg", "bpm", "°c", "°f", "kcal", "kj",
		"m metre metres meter meters 米", "cm centimetre centimetres centimeter centimeters 厘米", "mm millimetre millimetres millimeter millimeters 毫米",
		"km kilometre kilometres kilometer kilometers 公里", "nm",
		"second seconds s sec 秒", "minute minutes min mins 分钟", "hour hours h hr hrs 小时", "day days d 天 日", "week weeks wk wks 周",
		"month months 月", "year years yr yrs 年", "time times 次", "dollar dollars usd", "euro euros eur", "pound pounds",
	} {
		words := strings.Fields(same)
		for _, word := range words {
			spellings[word] = words[0]
		}
	}
	return spellings
}()

// quantities returns the quantities of a text, in its order.
func quantities(text string) []quantity {
	var all []quantity
	for _, m := range quantityPattern.FindAllStringSubmatch(text, -1) {
		all = append(all, quantity{normalNumber(m[1]), unitOf(m[2])})
	}
	for _, m := range numberWords.FindAllStringSubmatch(text, -1) {
		word := strings.ToLower(m[1] + m[3])
		unit := unitOf(m[2] + m[4])
		switch {
		case word == "once" && !afterOnce[strings.ToLower(m[2])]:
			continue // "once the fever has gone"
		case word == "once", word == "twice":
			unit = "time"
		case unit == "" && (word == "one" || word == "two"):
			continue // "one of", "two medicines"
		}
		all = append(all, quantity{numerals[word], unit})
	}
	return all
}

// normalNumber spells a number one way: without thousands separators and without zeros at the end of a
// fraction.
func normalNumber(number string) string {
	whole, fraction := number, ""
	if at := strings.LastIndexAny(number, ".,"); at >= 0 {
		thousands := len(number)-at-1 == 3 && number[at] == ','
		if !thousands {
			whole, fraction = number[:at], strings.TrimRight(number[at+1:], "0")
		}
	}
	whole = strings.TrimLeft(strings.NewReplacer(",", "", ".", "").Replace(whole), "0")
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// unitOf returns the unit that a word begins with; Chinese puts no space behind it.
func unitOf(word string) string {
	word = strings.ToLower(strings.ReplaceAll(word, " ", ""))
	if unit, known := units[word]; known {
		return unit
	}
	for _, length := range []int{2, 1} {
		runes := []rune(word)
		if len(runes) > length && lexical.Words(word)[0] == string(runes[0]) {
			if unit, known := units[string(runes[:length])]; known {
				return unit
			}
		}
	}
	return ""
}

// lacksAny reports whether a quantity of a claim is not among its source's quantities. Without a known unit
// only the number is compared.
func lacksAny(claimed, held []quantity) bool {
	for _, c := range claimed {
		found := false
		for _, h := range held {
			found = found || c.number == h.number && (c.unit == "" || c.unit == h.unit)
		}
		if !found {
			return true
		}
	}
	return false
}
