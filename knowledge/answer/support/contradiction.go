package support

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/lexical"
	"lacuna/knowledge/plaintext"
)

// Two texts that share nearly all their words may still say the opposite: the dose of another
// patient, more in place of less, never in place of always. So a claim and what is quoted for it are
// compared clause by clause in what words alone do not tell.

// Two texts that share nearly all their words may still say the opposite: the dose of another patient,
// more instead of less, never instead of always. So a claim and its quote are compared clause by clause in
// what words alone do not tell.
//
// clause is a part of a sentence.
type clause struct {
	terms      []string // each once, without figures
	quantities []quantity
	stances    stances
	denies     bool
}

// clauseEnd matches where one clause ends and the next begins.
var clauseEnd = regexp.MustCompile(`[,;:.!?]\s|\s[–—-]\s|[()，；：。、]|\s(?:and|or|but|while|whereas|although|then|followed by|unless|if|when)\s`)

// unspacedEnd matches the end of a clause that Chinese often writes as English does, but without a space.
var unspacedEnd = regexp.MustCompile(`(\p{Han})[,;:!?]`)

func newClause(text string) clause {
	c := clause{quantities: quantities(text), stances: stancesOf(text), denies: denies(text)}
	c.terms = slices.DeleteFunc(Terms(text), func(term string) bool {
		return strings.ContainsAny(term, "0123456789")
	})
	return c
}

// clauses cuts a text into clauses. A part with fewer than [tooFewTerms] terms joins the next one, or at
// the end the one before it.
func clauses(text string) []clause {
	var parts []string
	text = unspacedEnd.ReplaceAllString(text, "$1，")
	start := 0
	for _, at := range append(clauseEnd.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if len(Terms(text[start:at[0]])) >= tooFewTerms {
			parts = append(parts, text[start:at[0]])
			start = at[1]
		}
	}
	if rest := text[start:]; len(parts) == 0 || len(Terms(rest)) > 0 {
		if len(parts) > 0 {
			rest = parts[len(parts)-1] + " " + rest
			parts = parts[:len(parts)-1]
		}
		parts = append(parts, rest)
	}
	all := make([]clause, len(parts))
	for i, part := range parts {
		all[i] = newClause(part)
	}
	return all
}

// clauseMatch is the share of a claim's clause, by weight, that a clause of the source must hold to be
// compared with it. Otherwise the clause is compared with the whole quote.
const clauseMatch = .5

// contradicts reports whether a quote says something else than the clauses of a claim, as far as
// directions, denials and figures tell. above holds the terms that stand above the quote.
func contradicts(claimed []clause, quote string, above map[string]bool, weight func(term string) float64) bool {
	whole, parts := newClause(quote), clauses(quote)
	for _, own := range claimed {
		terms := slices.DeleteFunc(slices.Clone(own.terms), func(term string) bool { return above[term] })
		like := make([]float64, len(parts))
		nearest, best := whole, clauseMatch
		for i, part := range parts {
			if like[i] = share(terms, weight, plaintext.SetOf(part.terms)); like[i] > best {
				nearest, best = part, like[i]
			}
		}
		if own.denies != nearest.denies || oppose(own.stances, nearest.stances) {
			return true
		}
		for _, a := range own.quantities {
			if isMisplaced(a, len(parts), func(i int) ([]quantity, float64) { return parts[i].quantities, like[i] }) {
				return true
			}
		}
	}
	return false
}

// isMisplaced reports whether a claim takes a figure from the wrong one of several texts: of those that
// hold a figure of the same unit, the one most like the claim holds another figure.
func isMisplaced(a quantity, texts int, text func(i int) (held []quantity, like float64)) bool {
	with, without := -1.0, -1.0
	for i := range texts {
		held, like := text(i)
		if !lacksAny([]quantity{a}, held) {
			with = max(with, like)
		} else if slices.ContainsFunc(held, func(b quantity) bool { return a.unit == b.unit }) {
			without = max(without, like)
		}
	}
	return with >= 0 && without > with
}

// contrasts lists words that a claim and its source cannot exchange: each line is an axis, each column a
// side of it. A star stands for any ending; Chinese words match anywhere. How often a medicine is taken is
// among them: to take daily what is meant weekly kills.
var contrasts = [][]string{
	{
		"increas* raise raises raised raising rise rises risen rising rose elevat* higher highest greater upregulat* up-regulat* augment* 升高 增加 提高 上升",
		"decreas* reduc* lower lowers lowered lowering lowest fall falls fell fallen falling declin* diminish* downregulat* down-regulat* 降低 减少 下降",
	},
	{"above exceed* minimum at-least more-than greater-than higher-than 高于 大于 超过 至少", "below maximum at-most less-than lower-than fewer-than 低于 小于 至多"},
	{"before preced* prior-to 之前 以前", "after afterwards following 之后 以后"},
	{"start starts started starting begin begins began initiat* commenc* resum* 开始", "stop stops stopped stopping discontinu* withdraw* withdrew ceas* withhold* withheld 停用 停止"},
	{"improv* ameliorat* 改善", "worsen* deteriorat* aggravat* exacerbat* 加重 恶化"},
	{"safe safely harmless", "unsafe dangerous* harmful 危险 有害"},
	{"activat* stimulat* promot* enhanc* 促进 激活", "inhibit* suppress* block blocks blocked blocking blockade impair* 抑制 阻断"},
	{"positive* 阳性", "negative* 阴性"},
	{"acute* 急性", "chronic* 慢性"},
	{"early earlier 早期", "late later 晚期"},
	{
		"hourly every-hour 每小时", "daily a-day per-day each-day every-day 每天 每日", "weekly a-week per-week each-week every-week 每周",
		"monthly a-month per-month each-month every-month 每月", "yearly annual* a-year per-year each-year every-year 每年",
	},
}

// stances holds the sides that a text takes in contrasts, one bit each.
type stances uint64

var (
	stanceOf      = make(map[string]stances) // of a word, of two words joined by a space, of a beginning with a star
	stanceOfHan   = make(map[string]stances) // of Chinese words
	stancesOfAxis []stances
	longestPrefix int // of a beginning, in bytes
)

func init() {
	bit := stances(1)
	for _, axis := range contrasts {
		var whole stances
		for _, words := range axis {
			for _, word := range strings.Fields(words) {
				switch beginning, some := strings.CutSuffix(word, "*"); {
				case word[0] >= utf8.RuneSelf:
					stanceOfHan[word] |= bit
				case some:
					longestPrefix = max(longestPrefix, len(beginning))
					stanceOf[strings.ReplaceAll(beginning, "-", " ")+"*"] |= bit
				default:
					stanceOf[strings.ReplaceAll(word, "-", " ")] |= bit
				}
			}
			whole |= bit
			bit <<= 1
		}
		stancesOfAxis = append(stancesOfAxis, whole)
	}
}

// stancesOf returns the sides that the words of a text take.
func stancesOf(text string) stances {
	var found stances
	last := ""
	for _, word := range lexical.Words(text) {
		found |= stanceOf[word] | stanceOf[last+" "+word]
		for length := 4; length <= min(longestPrefix, len(word)); length++ {
			found |= stanceOf[word[:length]+"*"]
		}
		last = word
	}
	for word, side := range stanceOfHan {
		if strings.Contains(text, word) {
			found |= side
		}
	}
	return found
}

// oppose reports whether a claim takes another side than its source, on an axis on which both take one.
func oppose(claimed, held stances) bool {
	return slices.ContainsFunc(stancesOfAxis, func(axis stances) bool {
		return claimed&axis != 0 && held&axis != 0 && claimed&held&axis == 0
	})
}

// avoidancePrefixes begin words that say by themselves that something is not to be done, or is not so.
var avoidancePrefixes = []string{"avoid", "contraindicat", "ineffective", "unlikely", "unable", "absen", "lack", "fail", "forbid", "prohibit", "禁", "避"}

// denies reports whether a text denies something. A negation directly before an avoiding word cancels it:
// what is not contraindicated may be done. "Not only" denies nothing.
func denies(text string) bool {
	words := lexical.Words(text)
	for i := 0; i < len(words); i++ {
		if !extract.Negations[words[i]] && !avoids(words[i]) {
			continue
		}
		if avoids(words[i]) {
			return true
		}
		next := slices.IndexFunc(words[i+1:min(len(words), i+3)], func(word string) bool { return avoids(word) || word == "only" })
		if next < 0 {
			return true
		}
		i += 1 + next
	}
	return false
}

func avoids(word string) bool {
	return word != "failure" && slices.ContainsFunc(avoidancePrefixes, func(beginning string) bool { return strings.HasPrefix(word, beginning) })
}
