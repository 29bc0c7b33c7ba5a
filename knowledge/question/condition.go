package question

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"lacuna/knowledge/passage"
)

// Condition limits a question to some people, states of health, versions or plans.
type Condition struct {
	Name         string // as in "in children": child, pregnancy, kidney disease, age, version, weekend…
	passage.Span        // of the words that state it, in the text of the reading
}

var conditionTable = newTable(`[child]
both: child, children, childs, paediatric*, pediatric*, infant*, kid, kids, baby, babies, newborn*, neonat*, toddler*, minor, minors, kind@de, kinder, kindern, kindes, kleinkind*, säugling*, baby, neugeboren*, jugendliche*, minderjährig*, 儿童, 小孩, 孩子, 婴儿, 幼儿, 新生儿, 未成年人, 未成年, 宝宝
[elderly]
both: elderly, older people, older adults, geriatric, senior, seniors, old people, senioren, ältere*, 老人, 老年人, 老年
[pregnancy]
both: pregnan*, schwanger*, 怀孕, 孕妇, 妊娠, 孕期
[breastfeeding]
both: breastfeed*, breast-feed*, lactating, nursing, stillen, stillend*, stillzeit, 哺乳, 喂奶
[kidney disease]
both: kidney disease, kidney failure, kidney problem*, renal impairment, renal failure, renal insufficiency, renal disease, dialysis, egfr, nierenerkrankung*, niereninsuffizienz, nierenkrank*, nierenversagen, 肾病, 肾功能不全, 肾衰
[liver disease]
both: liver disease, liver failure, hepatic impairment, cirrhosis, leberzirrhose, lebererkrankung*, leberinsuffizienz, 肝病, 肝硬化, 肝功能不全
[heart disease]
both: heart disease, heart failure, cardiac, herzinsuffizienz, herzkrank*, herzschwäche, 心脏病, 心衰
[diabetes]
both: diabetes, diabetic*, diabetiker*, 糖尿病
[part time]
both: part-time, part time, teilzeit, 兼职, 非全日制
[probation]
both: probation*, probezeit, 试用期
[student]
both: student, students, studierende*, schüler*, azubi*, intern, interns, praktikant*, 学生, 实习生
[contractor]
both: contractor, contractors, freelanc*, freiberufl*, selbständig*, selbstständig*, 自由职业
[weekend]
both: weekend*, saturday*, sunday*, wochenende*, samstag*, sonntag*, 周末, 周六, 周日, 星期天
[holiday]
both: public holiday*, bank holiday*, feiertag*, 节假日, 法定节假日
[abroad]
both: abroad, overseas, foreign, international, ausland, 国外, 境外, 出国
[version]
both: version, versions, release, windows, linux, macos, android, ios, ubuntu, 版本
[first time]
both: first time, new employee*, newcomer*, erstmals, neue mitarbeiter*, 第一次, 首次, 新员工
`)

// conditionsIn returns the conditions that a text states, in order.
func conditionsIn(text string, language Language) []Condition {
	var all []Condition
	for _, f := range conditionTable.searchIn(text, inQuestion, language) {
		all = append(all, Condition{conditionTable.names[f.owner], passage.Span{Start: f.start, End: f.end}})
	}
	if strings.ContainsAny(text, "0123456789") {
		for name, pattern := range map[string]*regexp.Regexp{"age": statedAge, "version": statedVersion} {
			for _, at := range pattern.FindAllStringIndex(text, -1) {
				all = append(all, Condition{name, passage.Span{Start: at[0], End: at[1]}})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Condition) int { return cmp.Or(a.Start-b.Start, strings.Compare(a.Name, b.Name)) })
	return all
}

var (
	statedAge = regexp.MustCompile(`(?i)\b\d{1,3}[- ]?(?:years?|yrs?|months?|weeks?|days?|yo)[- ]?old\b|\b\d{1,2}yo\b|\baged? \d{1,3}\b|` +
		`\b(?:over|under) \d{1,2}s?(?:[?.,;!]|$)|\b\d{1,2}[- ]?jährige?[nrs]?\b|\bunter \d{1,2} jahren\b|\d{1,3}岁`)
	statedVersion = regexp.MustCompile(`\b[vV]\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+\b|` +
		`\b(?:[Vv]ersion|[Rr]elease|Python|Java|Go|PHP|Node|Debian|Ubuntu|Windows|macOS|iOS|Android) \d+(?:\.\d+)*\b`)
)
