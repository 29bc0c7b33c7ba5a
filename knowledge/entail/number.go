package entail

import (
	"math"
	"strconv"
	"strings"
)

// normalNumber spells a number one way: without thousands separators and without zeros at the end of a fraction.
func normalNumber(number string) string {
	whole, fraction := number, ""
	if at := strings.LastIndexAny(number, ".,"); at >= 0 {
		if thousands := len(number)-at-1 == 3 && number[at] == ','; !thousands {
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

// unitFactors has units with the base unit of their dimension and what one of them is in it.
var unitFactors = func() map[string]struct {
	base   string
	factor float64
} {
	table := make(map[string]struct {
		base   string
		factor float64
	})
	for _, line := range []string{
		"mg 1 mg milligram milligrams milligramme 毫克", "mg 0.001 µg μg mcg ug microgram micrograms 微克", "mg 1000 g gram grams 克", "mg 1000000 kg kilogram kilograms kilo kilos 千克 公斤",
		"ml 1 ml millilitre millilitres milliliter milliliters 毫升", "ml 1000 l litre litres liter liters 升", "ml 100 dl", "ml 10 cl",
		"% 1 % percent 百分比", "min 1 minute minutes min mins 分钟", "min 60 hour hours h hr hrs 小时", "min 0.0166667 second seconds sec s 秒",
		"day 1 day days 天 日", "day 7 week weeks wk wks 周 星期", "month 1 month months 月 个月", "month 12 year years yr yrs 年",
		"m 1 m metre metres meter meters 米", "m 0.01 cm centimetre centimetres 厘米", "m 0.001 mm millimetre millimetres 毫米", "m 1000 km kilometre kilometres 公里",
		"mmhg 1 mmhg", "mmol 1 mmol", "iu 1 iu unit units 单位", "°c 1 °c celsius", "kcal 1 kcal", "usd 1 dollar dollars usd", "eur 1 euro euros eur",
	} {
		fields := strings.Fields(line)
		factor, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			panic("entail: " + line)
		}
		for _, spelling := range fields[2:] {
			table[spelling] = struct {
				base   string
				factor float64
			}{fields[0], factor}
		}
	}
	return table
}()

// measure gives a number the unit that follows it, if that is one; the unit then says nothing more by itself.
func (w *word) measure(unit *word) {
	u, ok := unitFactors[unit.text]
	if !ok || !w.digits && w.text != "one" {
		return
	}
	if !w.digits {
		w.digits, w.key, w.weight = true, "1", digitsWeight
	}
	n, err := strconv.ParseFloat(w.key, 64)
	if err != nil {
		return
	}
	w.amount, w.unit, unit.weight = n*u.factor, u.base, 0
}

// likeNumber says how well a number of the source means one of the claim.
func likeNumber(claim, source word) float64 {
	switch {
	case claim.unit != "" && source.unit != "":
		if claim.unit == source.unit && math.Abs(claim.amount-source.amount) <= 1e-6*math.Abs(source.amount) {
			return 1
		}
		return 0
	case claim.key == source.key:
		return 1
	}
	return 0
}
