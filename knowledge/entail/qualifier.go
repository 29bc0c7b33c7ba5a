package entail

import (
	"strings"
	"unicode/utf8"
)

// Classes of words that bound what a clause says: how many, how often, how surely, under what condition. A claim
// may say less than its source, but not more. German words stand behind a bar and for all their forms.
const (
	universal = iota
	majority
	partial
	exclusive
	necessary
	advised
	possible
	sure
	conditional
	excepting
	causal
	comparing
	classes
)

var classWords = [classes]string{
	universal:   "everywhere anywhere all every each any always everyone anyone everybody whatever regardless entire whole both never whenever fully completely 所有 任何 每 每个 全部 一切 均 都 不管 无论 总是 凡是 完全 从不 全 | alle allen aller alles allem jeder jede jedes jeden jedem sämtliche immer stets jederzeit überall beide gesamte vollständig völlig ausnahmslos niemals nie",
	majority:    "most mostly majority usually generally often mainly typically commonly normally largely frequently 大多 大多数 通常 一般 多数 往往 经常 常常 主要 常 | meist meistens meiste überwiegend mehrheitlich gewöhnlich üblicherweise normalerweise häufig oft hauptsächlich typischerweise",
	partial:     "some many several certain sometimes occasionally few partly partially limited rarely seldom somewhat slightly mild 有些 部分 有的 有时 偶尔 少数 某些 一些 少部分 很少 | einige manche mehrere bestimmte gelegentlich manchmal wenige teilweise selten vereinzelt",
	exclusive:   "only just solely exclusively alone sole nothing-but 只 仅 唯一 只有 仅仅 只能 只要 | nur lediglich ausschließlich allein bloß einzig",
	necessary:   "must need needs needed require requires required mandatory shall have-to has-to necessary essential obligatory 必须 需 需要 务必 一定要 必要 须 | muss müssen müsste erforderlich notwendig nötig verpflichtend zwingend unbedingt vorgeschrieben obligatorisch verbindlich benötigen",
	advised:     "should ought recommend recommended recommends advise advised advises suggested preferred preferably best 应 应该 应当 建议 宜 最好 推荐 | soll sollte sollen sollten empfehlen ratsam bevorzugt möglichst idealerweise",
	possible:    "may might could can possible possibly perhaps suggest suggests seem seems appear appears likely probably potential potentially optional suspected believed estimated hypothesis unclear unknown 可能 或许 也许 可以 可 能 大概 疑似 估计 似乎 | kann können könnte könnten möglich möglicherweise vielleicht eventuell vermutlich wahrscheinlich darf dürfen freiwillig optional scheinen unklar unbekannt",
	sure:        "certainly definitely always proves proved proven prove guarantee guaranteed reliably invariably inevitably clearly cure cures surely without-doubt established 一定 肯定 必然 绝对 保证 必定 彻底 根治 | sicherlich garantiert nachweislich bewiesen zweifellos zwangsläufig definitiv",
	conditional: "if when unless provided once while during whether where in-case 如果 若 当 假如 只要 时 的话 要是 情况下 | wenn falls sofern sobald solange während",
	excepting:   "except unless apart excluding excepting but-not other-than save 除 除了 除外 除非 以外 之外 | außer ausgenommen abgesehen",
	causal:      "because due cause causes caused causing since therefore thus leads lead results result owing so-that 因为 由于 导致 引起 造成 因此 所以 使 致 | weil denn wegen aufgrund deshalb daher verursachen bewirken auslösen hervorrufen ursache",
	comparing:   "than compared versus relative 比 相比 较 于 | vergleich gegenüber",
}

var (
	classOf      = map[string]int{} // bits of classes by word or by two words
	contrastSide = map[string]uint64{}
	contrastAxes []uint64
	longestHan   int
)

// contrasts lists words that a claim and its source cannot exchange: each line is an axis, each column a side of
// it.
var contrasts = [][]string{
	{
		"increase increases increased increasing raise raises raised raising rise rises risen rising rose elevate elevated elevates more higher highest greater greatest larger longer stronger bigger upregulated augment augmented worse older heavier faster most 升高 增加 提高 上升 增多 更高 更多 加快 变大 增大 高 多 | beschleunigen verlängern vergrößern ausweiten erhöhen steigern steigen ansteigen zunehmen vermehren verstärken anheben mehr höher größer stärker länger schneller häufiger größte höchste erhöhung steigerung anstieg zunahme",
		"decrease decreases decreased decreasing reduce reduces reduced reducing lower lowers lowered lowering lowest less least fewer fewest smaller shorter weaker fall falls fell fallen falling drop drops dropped declining decline diminished diminish lessen lessens milder rarer younger lighter slower 降低 减少 下降 减轻 变小 更低 更少 减慢 缩小 低 少 | verlangsamen verkürzen verkleinern drosseln halbieren senken verringern vermindern mindern reduzieren sinken absinken abnehmen abfallen absenken herabsetzen abschwächen weniger niedriger geringer kleiner schwächer kürzer langsamer seltener geringste niedrigste senkung verringerung abnahme rückgang",
	},
	{"above over exceed exceeds exceeding minimum at-least more-than greater-than higher-than from upward 以上 高于 大于 超过 至少 不少于 不低于 | über oberhalb mindestens wenigstens überschreiten übersteigen", "below under maximum at-most less-than lower-than fewer-than up-to within 以下 低于 小于 至多 不超过 不足 最多 以内 | unter unterhalb höchstens maximal unterschreiten"},
	{"before prior preceding beforehand earlier precede until till 之前 以前 前 先 | vor bevor vorher zuvor vorab", "after following afterwards later once since then 之后 以后 后 然后 | nach nachdem danach anschließend nachher seit seitdem"},
	{"start starts started starting begin begins began initiate initiated commence resume resumed continue continues continued keep 开始 继续 启用 | beginnen anfangen starten fortsetzen fortführen weiterführen", "stop stops stopped stopping discontinue discontinued withdraw withdrawn cease withhold withheld pause paused 停用 停止 停 中止 | absetzen beenden abbrechen pausieren aufhören unterbrechen"},
	{"improve improves improved improving better ease eases relieve relieves helps 改善 缓解 好转 减轻 | verbessern lindern besser bessern verbesserung", "worsen worsens worsened worse deteriorate aggravate aggravates exacerbate 加重 恶化 变差 | verschlechtern verschlimmern schlechter verschlechterung"},
	{"safe safely harmless allowed permitted may can 可以 能 允许 安全 | ungefährlich harmlos erlaubt zulässig", "unsafe dangerous harmful avoid avoided contraindicated forbidden prohibited 危险 有害 禁止 避免 不能 不得 不可 禁用 忌 | gefährlich schädlich verboten unzulässig kontraindiziert"},
	{"activate activates stimulate stimulates promote promotes enhance enhances strengthen strengthens 促进 激活 增强 | fördern anregen aktivieren erleichtern", "inhibit inhibits inhibited suppress suppresses block blocks blocked impair impairs weaken weakens 抑制 阻断 减弱 | hemmen blockieren unterdrücken erschweren behindern"},
	{"positive 阳性 | positiv", "negative 阴性 | negativ"}, {"acute 急性 | akut", "chronic 慢性 | chronisch"}, {"early earlier 早期 早 | früh früher frühestens", "late later 晚期 晚 | spät später spätestens"},
	{
		"hourly every-hour 每小时 | stündlich", "daily a-day per-day each-day every-day 每天 每日 | täglich", "weekly a-week per-week each-week every-week 每周 | wöchentlich",
		"monthly a-month per-month each-month every-month 每月 | monatlich", "yearly annual annually a-year per-year each-year every-year 每年 | jährlich",
	},
	{"first initially initial 首先 第一 首选 先 | erste zuerst zunächst anfangs", "second secondly 第二 其次 | zweite zweitens", "last finally final 最后 | letzte zuletzt"},
	{"minimum least 最低 最少 | minimal", "maximum most 最高 最多 | höchst"},
	{"left 左 | linke linken", "right 右 | rechte rechten"}, {"upper 上 | obere oben", "lower 下 | untere unten"}, {"inside internal inner 内 | innere innerhalb innen", "outside external outer 外 | äußere außerhalb außen"},
	{"one single once 一次", "twice two double 两次", "three thrice 三次"},
	{"enable enables enabled on 启用 打开 | aktivieren einschalten anschalten", "disable disables disabled off 禁用 关闭 | deaktivieren ausschalten abschalten"},
	{"same equal identical equally 相同 一样 | gleich identisch dasselbe", "different differ differs unlike 不同 | verschieden unterschiedlich anders"},
	{"common frequent commonly 常见 | häufig oft", "rare rarely uncommon seldom 罕见 少见 | selten kaum"},
	{"high 高 | hoch", "low 低 | niedrig gering"}, {"hot warm 热 | heiß warm", "cold cool 冷 | kalt kühl"}, {"mandatory required must 必须 | verpflichtend zwingend pflicht", "optional voluntary 可选 自愿 | freiwillig optional"},
	{"benign 良性 | gutartig", "malignant 恶性 | bösartig"}, {"male man men boy 男 | männlich mann männer", "female woman women girl 女 | weiblich frau frauen"}, {"adult adults 成人 大人 | erwachsene volljährig", "child children infant baby 儿童 孩子 婴儿 宝宝 | kind kinder säugling minderjährig"},
	{"include includes included including with 包括 含 | einschließlich", "exclude excludes excluded excluding without 不包括"},
}

func init() {
	for class, words := range classWords {
		words, german, _ := strings.Cut(words, "|")
		for _, w := range strings.Fields(german) {
			classOf[germanText(w)] |= 1 << class
		}
		for _, w := range strings.Fields(words) {
			w = strings.ReplaceAll(w, "-", " ")
			classOf[w] |= 1 << class
			if w[0] >= utf8.RuneSelf {
				longestHan = max(longestHan, utf8.RuneCountInString(w))
			}
		}
	}
	bit := uint64(1)
	for _, axis := range contrasts {
		var whole uint64
		for _, words := range axis {
			words, german, _ := strings.Cut(words, "|")
			for _, w := range strings.Fields(words) {
				contrastSide[strings.ReplaceAll(w, "-", " ")] |= bit
			}
			for _, w := range strings.Fields(german) {
				contrastSide[germanText(w)] |= bit
			}
			whole |= bit
			bit <<= 1
		}
		contrastAxes = append(contrastAxes, whole)
	}
}

// qualifiers counts the classes among some words, and says which sides of contrasts they take.
func (r *reading) qualifiers(in func(w word) bool) (count [classes]float64, sides uint64) {
	last := ""
	for _, w := range r.words {
		if !in(w) {
			last = ""
			continue
		}
		bits := classOf[w.text] | classOf[last+" "+w.text]
		for class := range classes {
			if bits&(1<<class) != 0 {
				count[class]++
			}
		}
		sides |= contrastSide[w.text] | contrastSide[last+" "+w.text]
		last = w.text
	}
	return count, sides
}

var classNames = [classes]string{"universal", "majority", "partial", "exclusive", "necessary", "advised", "possible", "sure", "conditional", "excepting", "causal", "comparing"}

func (a *alignment) describeQualifiers(touched map[int]bool, above int, f *features) {
	c, sidesC := a.claim.qualifiers(func(word) bool { return true })
	s, sidesS := a.source.qualifiers(func(w word) bool { return touched[w.clause] && w.sentence >= above })
	for class, name := range classNames {
		f.add(name+"+", bit(c[class] > 0 && s[class] == 0))
		f.add(name+"-", bit(c[class] == 0 && s[class] > 0))
	}
	opposed, onlyClaim := 0.0, 0.0
	for _, axis := range contrastAxes {
		x, y := sidesC&axis, sidesS&axis
		if x != 0 && y != 0 && x&y == 0 {
			opposed++
		}
		if x&^y != 0 {
			onlyClaim++
		}
	}
	f.add("opposed", opposed)
	f.add("contrastOnlyClaim", onlyClaim)
	f.add("strength", strength(c)-strength(s))
}

func strength(c [classes]float64) float64 {
	v := 0.0
	v += bit(c[universal] > 0) + bit(c[sure] > 0) + bit(c[necessary] > 0) + bit(c[exclusive] > 0)
	v -= bit(c[majority] > 0)*.5 + bit(c[partial] > 0) + bit(c[possible] > 0)*.7 + bit(c[advised] > 0)*.3
	return v
}
