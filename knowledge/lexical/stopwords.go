package lexical

import (
	"slices"
	"strings"
)

// Content returns the tokens of [Analyze] that say what a question is about, without the words that only
// make a sentence a question, English, German or Chinese. A question of nothing else keeps all its tokens.
func Content(question string) []Token {
	tokens := Analyze(question)
	phrases := AskingPhrases(question)
	german := isGerman(question, tokens)
	content := slices.DeleteFunc(slices.Clone(tokens), func(t Token) bool {
		word := surface(question[t.Start:t.End])
		return IsAskingWord(word) || german && germanWords[word] || slices.ContainsFunc(phrases, t.overlaps)
	})
	if len(content) == 0 {
		return tokens
	}
	return content
}

func (t Token) overlaps(u Token) bool { return t.Start < u.End && u.Start < t.End }

// surface returns a word in lower case, with plain apostrophes and without a possessive.
func surface(word string) string {
	return strings.TrimSuffix(strings.ReplaceAll(strings.ToLower(word), "’", "'"), "'s")
}

// isGerman reports whether words of German grammar, which English does not have, outweigh those of asking in
// English.
func isGerman(question string, tokens []Token) bool {
	german, english := 0, 0
	for _, t := range tokens {
		switch word := surface(question[t.Start:t.End]); {
		case germanWords[word] && !askingWords[word] && !englishToo[word]:
			german++
		case askingWords[word] && !germanWords[word]:
			english++
		}
	}
	return german > english
}

// IsAskingWord reports whether a word in lower case makes a sentence a question without saying what
// it is about. In scientific text "what" is a rare word, so that it would outweigh the subject.
// [Analyze] has already dropped its own stop words.
func IsAskingWord(word string) bool { return askingWords[word] }

var askingWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(`
		what which who whom whose when where why how do does did done doing can could should would may
		might must shall have has had having am been being were we you he she me my your his her him us
		our ours i its them theirs one some any about from there please tell explain describe know
		i'm i've i'd i'll we're we've we'll you're you'll he's they're don't doesn't didn't isn't aren't wasn't can't
		couldn't won't wouldn't shouldn't haven't hasn't let's
		whats whos wheres hows theres im ive dont doesnt didnt isnt arent wasnt cant couldnt wouldnt shouldnt havent hasnt here just still already really actually also even ever so
		too very because get gets got getting go goes going want wants wanted someone somebody something anyone
		anybody anything thing things lot lots`) {
		set[word] = true
	}
	return set
}()

// germanWords lists the words of German grammar and of asking, without which a German question is searched.
var germanWords = func() map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(`
		der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
		ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen man jemand niemand etwas was nichts
		mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine seinen seinem seiner seines
		ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer euer eure euren eurem
		dieser diese dieses diesen diesem jener jene jenes jeder jede jedes jeden jedem alle allen aller alles
		wer wem wen wessen wie wo wohin woher wann warum wieso weshalb wozu wofür womit woran worauf woraus worin
		wodurch wovon welche welcher welches welchen welchem
		und oder aber denn sondern als dass daß ob wenn weil falls damit obwohl während bevor nachdem sobald solange sowie
		in im an am auf aus bei beim bis durch für gegen hinter mit nach neben ohne seit über um unter von vom vor
		zu zum zur zwischen wegen trotz gegenüber ab
		bin bist ist sind seid war waren wäre wären gewesen habe hab hast hat haben habt hatte hatten hätte hätten gehabt
		werde wirst wird werden werdet wurde wurden würde würden worden geworden
		kann kannst können könnt konnte könnte könnten darf darfst dürfen durfte dürfte muss muß musst müssen müsste musste
		soll sollst sollen sollte sollten will willst wollen wollte möchte möchten mag
		gibt geht gehen macht machen mache tun tut tue lässt lassen lass
		nicht nur auch noch schon sehr so doch mal dann da dort hier jetzt nun immer wieder einfach eigentlich überhaupt
		eben gerade etwa bitte danke hallo dabei dafür daran darauf davon dazu dadurch darüber wirklich denn ja nein
		mehr viel viele vielen wieviel`) {
		set[word] = true
	}
	return set
}()

// englishToo lists the words of germanWords that English has, too.
var englishToo = map[string]bool{
	"die": true, "was": true, "war": true, "man": true, "hat": true, "in": true, "an": true, "am": true, "so": true, "will": true,
	"mag": true, "also": true, "den": true, "bin": true, "um": true, "tut": true, "hier": true, "des": true, "da": true,
	"es": true, "mal": true, "ja": true, "wie": true, "ab": true, "mir": true, "bis": true, "dir": true, "er": true,
}

// askingPhrases lists the Chinese counterparts. They are matched in the text rather than as terms, because
// Chinese terms are overlapping pairs of characters.
var askingPhrases = []string{
	"什么时候", "有什么", "为什么", "是什么", "怎么样", "怎么办", "什么样", "什么", "怎么", "怎样", "如何", "有哪些", "哪些", "在哪", "哪里",
	"哪儿", "为何", "何时", "是谁", "谁", "几点", "几次", "几天", "几个", "多大",
	"怎么回事", "咋回事", "咋办", "咋", "为啥", "啥时候", "有啥", "啥", "行不行", "好不好", "对不对", "会不会", "会怎样", "怎么弄",
	"几分钟", "几小时", "几度", "几克", "几年", "几个月", "几周", "几岁", "多长时间", "多高", "多长", "多远", "到底", "究竟",
	"我们", "他们", "这个", "那个", "这种", "那种", "一下", "如果", "要是", "呀", "嘛",
	"哪个", "哪种", "多少", "多久", "是否", "能否", "可否", "能不能", "可不可以", "可以", "是不是", "有没有",
	"要不要", "请问", "谢谢", "您好", "你好", "吗", "呢", "吧", "啊", "的", "了", "我", "你", "您",
}

// AskingPhrases finds the Chinese question words of a text, in no particular order. Terms are the
// words as written.
func AskingPhrases(text string) []Token {
	text = Simplify(text)
	var found []Token
	for _, phrase := range askingPhrases {
		for from := 0; ; {
			at := strings.Index(text[from:], phrase)
			if at < 0 {
				break
			}
			from += at + len(phrase)
			found = append(found, Token{phrase, from - len(phrase), from})
		}
	}
	return found
}
