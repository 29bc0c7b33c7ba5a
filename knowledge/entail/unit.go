package entail

import (
	"strconv"
	"strings"
)

const (
	minute = 60.
	hour   = 60 * minute
	day    = 24 * hour
	week   = 7 * day
	month  = 365.25 / 12 * day
	year   = 365.25 * day
)

// measure is a unit: what it measures and how many of the base unit it is.
type measure struct {
	dimension dimension
	factor    float64
	offset    float64 // in units, added to zero: of Fahrenheit
	name      string
	vague     bool // it is also an ordinary word, or a letter: a unit only behind a number in digits, close to it
}

// unitLines has units: dimension, how many of the base unit it is, then its spellings, the first of which is its
// name. Case is folded.
const unitLines = `
mass 1e-9 ng nanogram nanograms nanogramm 纳克
mass 1e-6 µg μg mcg ug microg microgram micrograms mikrogramm 微克
mass 1e-3 mg milligram milligrams milligramme milligrammes milligramm 毫克
mass 1 gram grams gramme grammes gramm 克
mass 1e3 kg kilogram kilograms kilo kilos kilogramm 千克 公斤
mass 500 斤 市斤
mass 1e6 tonne tonnes metric-ton 吨
mass 453.6 lb lbs pound pounds 磅
mass 28.35 oz ounce ounces 盎司
mass 6350 stone
volume 1e-6 µl μl microlitre microlitres microliter microliters 微升
volume 1e-3 ml millilitre millilitres milliliter milliliters milliliter cc 毫升
volume 1e-2 cl centilitre centilitres
volume 0.1 dl decilitre decilitres deciliter deciliters 分升
volume 1 litre litres liter liters 升 公升
volume 0.9464 quart quarts
volume 0.4732 pint pints
volume 3.785 gallon gallons
volume 0.0049 teaspoon teaspoons tsp teelöffel 茶匙
volume 0.0148 tablespoon tablespoons tbsp esslöffel 汤匙
time 1e-3 ms msec millisecond milliseconds 毫秒
time 1 second seconds sec secs sekunde sekunden 秒 秒钟
time 60 minute minutes min mins minuten 分钟
time 900 刻钟
time 3600 hour hours hr hrs stunde stunden std 小时 钟头 个小时 个钟头
time 86400 day days tag tage tagen 天 日
time 604800 week weeks wk wks woche wochen 周 星期 个星期 礼拜
time 1209600 fortnight fortnights
time 2629800 month months mo mos mth mths monat monate monaten 个月 月
time 7889400 trimester-length 季度
time 31557600 year years yr yrs jahr jahre jahren 年 周年
time 315576000 decade decades
time 3155760000 century centuries
length 1e-9 nm nanometre nanometres nanometer nanometers 纳米
length 1e-6 µm μm micrometre micrometres micrometer micrometers micron microns 微米
length 1e-3 mm millimetre millimetres millimeter millimeters 毫米
length 1e-2 cm centimetre centimetres centimeter centimeters zentimeter 厘米 公分
length 1 metre metres meter meters 米
length 1e3 km kilometre kilometres kilometer kilometers 公里 千米
length 0.0254 inch inches zoll 英寸
length 0.3048 foot feet ft 英尺
length 1609.3 mile miles
temperature 1 °c celsius degc 摄氏度
temperature 1 度
pressure 1 mmhg 毫米汞柱
pressure 7.5006 kpa
pressure 750.06 bar
substance 1e-9 nmol nanomol nanomole nanomoles 纳摩尔
substance 1e-6 µmol μmol umol micromol micromole micromoles mikromol 微摩尔
substance 1e-3 mmol millimol millimole millimoles 毫摩尔
substance 1 mol mole moles 摩尔
equivalent 1e-3 meq
energy 1 kcal calorie calories 千卡 大卡
energy 0.239 kj kilojoule kilojoules 千焦
activity 1 iu ie 国际单位 单位
ratio 0.01 % percent percentage per-cent prozent pct ％
ratio 0.001 ‰
ratio 1 fold fach 倍
bytes 1 byte bytes 字节
bytes 1e3 kb kilobyte kilobytes kib ki
bytes 1e6 mb megabyte megabytes mib
bytes 1e9 gb gigabyte gigabytes gib
bytes 1e12 tb terabyte terabytes tib
bits 1 bit bits 位
frequency-hz 1 hz hertz
frequency-hz 1e6 mhz
frequency-hz 1e9 ghz
beats 1 bpm
power 1 watt watts
decibel 1 db decibel decibels
money-usd 1 $ usd dollar dollars us$ 美元
money-eur 1 € eur euro euros 欧元
money-gbp 1 £ gbp
money-cny 1 ¥ rmb cny yuan 元 块钱 人民币
angle 1 degree degrees grad °
`

// vagueUnits are letters and words that are units only directly behind a number in digits.
const vagueUnits = `
mass 1 g
time 1 s
time 60 m
time 3600 h
time 86400 d
time 604800 w
time 31557600 y a
volume 1 l
length 1 m
length 0.0254 in
bytes 1048576 mi
bytes 1073741824 gi
temperature 1 c
activity 1 u
`

var units = func() map[string]measure {
	table := make(map[string]measure)
	for at, lines := range []string{vagueUnits, unitLines} {
		for line := range strings.Lines(lines) {
			fields := strings.Fields(line)
			if len(fields) == 0 {
				continue
			}
			factor, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				panic("entail: " + line)
			}
			for _, spelling := range fields[2:] {
				table[spelling] = measure{dimension: dimension(fields[0]), factor: factor, name: fields[2], vague: at == 0}
			}
		}
	}
	table["m"] = measure{dimension: length, factor: 1, name: "metre", vague: true}
	table["°f"] = measure{dimension: celsius, factor: 5. / 9, offset: -32, name: "°f"}
	table["fahrenheit"], table["华氏度"] = table["°f"], table["°f"]
	return table
}()

// prefixUnits are currencies that stand before their number.
var prefixUnits = map[string]string{"$": "$", "€": "€", "£": "£", "¥": "¥", "usd": "$", "eur": "€", "gbp": "£", "us$": "$"}

// longestHanUnit is in characters.
const longestHanUnit = 4

// simpleUnitAt reads one unit; digits says that a number in digits stands directly before.
func (f *figures) simpleUnitAt(i int, digits bool) (measure, int, bool) {
	if i >= len(f.marks) {
		return measure{}, i, false
	}
	switch f.kind(i) {
	case hanMark:
		for n := longestHanUnit; n > 0; n-- {
			if name, ok := f.hanText(i, n); ok {
				if u, ok := units[name]; ok && !(name == "度" && f.text(i-1) == "程") {
					return u, i + n, true
				}
			}
		}
		return measure{}, i, false
	case signMark:
		if f.text(i) == "°" {
			for _, of := range []string{"c", "f"} {
				if f.text(i+1) == of {
					return units["°"+of], i + 2, true
				}
			}
			return measure{dimension: celsius, factor: 1, name: "°c"}, i + 1, true
		}
	}
	text := f.text(i)
	if text == "degrees" || text == "degree" {
		switch f.text(i + 1) {
		case "celsius", "c", "centigrade":
			return units["°c"], i + 2, true
		case "fahrenheit", "f":
			return units["°f"], i + 2, true
		}
	}
	if text == "mm" && f.text(i+1) == "hg" {
		return units["mmhg"], i + 2, true
	}
	if text == "per" && f.text(i+1) == "cent" {
		return units["%"], i + 2, true
	}
	if text == "percentage" && (f.text(i+1) == "points" || f.text(i+1) == "point") {
		return units["%"], i + 2, true
	}
	if text == "f" && digits && f.tight(i) {
		return units["°f"], i + 1, true
	}
	u, ok := units[text]
	if !ok || u.vague && !digits {
		return measure{}, i, false
	}
	if u.vague && (text == "in" || text == "a" || text == "m" && false) && !f.tight(i) {
		return measure{}, i, false
	}
	return u, i + 1, true
}

// unitAt reads a unit, or two joined by "per" or a slash ("mmol/l", "ml per minute", "mg/kg"). A period of a day or
// more is left: it says how often.
func (f *figures) unitAt(i int, digits bool) (measure, int, bool) {
	u, next, ok := f.simpleUnitAt(i, digits)
	if !ok {
		return u, next, false
	}
	clinging := u.dimension == duration || u.dimension == share
	for range 2 {
		join := f.text(next)
		if join == "of" && !clinging { // "1.6 micrograms of the medicine per kilogram"
			for j := next + 2; j < next+5 && j < len(f.marks) && f.kind(j) == wordMark; j++ {
				if f.text(j) == "per" {
					if v, after, ok := f.simpleUnitAt(j+1, false); ok && v.dimension != duration {
						return measure{dimension: u.dimension + "/" + v.dimension, factor: u.factor / v.factor, name: u.name + "/" + v.name}, after, true
					}
				}
			}
		}
		if join == "for" && (f.text(next+1) == "each" || f.text(next+1) == "every") && !clinging {
			join, next = "per", next+1
		}
		if join != "/" && join != "per" && join != "pro" && join != "je" && join != "每" {
			break
		}
		v, after, ok := f.simpleUnitAt(next+1, join == "/")
		if !ok {
			break
		}
		if v.dimension == duration && (v.factor >= day || u.dimension == duration) {
			break
		}
		u = measure{dimension: u.dimension + "/" + v.dimension, factor: u.factor / v.factor, name: u.name + "/" + v.name}
		next = after
	}
	return u, next, true
}
