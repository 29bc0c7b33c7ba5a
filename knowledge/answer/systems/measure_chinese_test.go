package systems_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"lacuna/knowledge/ingest"
	"lacuna/knowledge/passage"
)

// TestChineseSupportMeasured rewords sentences of Chinese answers, by words that mean the same and by
// leaving a clause out, and asks whether their passage still supports them; then makes the reworded ones
// wrong in one thing. A person would reword more, so that the first share is no recall.
func TestChineseSupportMeasured(t *testing.T) {
	library := openSource(t, "huatuo", ingest.Source{Name: "data", Kind: passage.Text, Path: dataFile(t, "zh/huatuo-answers.jsonl.gz")})
	var reworded, right, foreign int
	made, believed := make(map[string]int), make(map[string]int)
	passages := library.Passages()
	for ordinal, p := range passages {
		if ordinal%3 != 0 {
			continue // a third of them is enough
		}
		for _, span := range passage.Sentences(p.Text, p.Format) {
			sentence := p.Text[span.Start:span.End]
			claim := rewordedChinese(sentence)
			if claim == sentence || len([]rune(claim)) < 10 || strings.ContainsAny(claim, "?？") {
				continue
			}
			reworded++
			foreign += count(supports(library, claim, (ordinal+1)%len(passages)))
			if !supports(library, claim, ordinal) {
				break
			}
			right++
			for how, wrong := range forgeChinese(claim, p.Text, right) {
				made[how]++
				believed[how] += count(supports(library, wrong, ordinal))
			}
			break // one sentence of each answer is enough
		}
	}
	t.Logf("reworded and supported: %s; by another passage %s", portion(right, reworded), portion(foreign, reworded))
	if float64(right) < .8*float64(reworded) {
		t.Error("less than .8 of the reworded sentences are supported")
	}
	for _, bar := range []struct {
		how  string
		most float64
	}{
		{"another figure", .02},
		{"another unit", .15},
		{"another direction", .1},
		{"a negation more", .2},
		{"a negation less", .2},
		{"another medicine", .15},
		{"another illness", .3},
	} {
		t.Logf("%-20s %s", bar.how, portion(believed[bar.how], made[bar.how]))
		if share := float64(believed[bar.how]) / float64(made[bar.how]); share > bar.most {
			t.Errorf("%s: more than %.2f are supported", bar.how, bar.most)
		}
	}
}

// sameChinese holds words each of which may stand for the next one.
var sameChinese = strings.NewReplacer(
	"建议", "推荐", "患者", "病人", "引起", "导致", "使用", "应用", "需要", "须", "应该", "应当", "可以", "能够", "注意", "留意",
	"治疗", "诊治", "一般", "通常", "情况", "情形", "及时", "尽快", "比较", "较为", "如果", "若", "由于", "因为",
)

// rewordedChinese says a sentence in other words, without its second clause where it has four or more.
func rewordedChinese(sentence string) string {
	parts := strings.SplitAfter(sameChinese.Replace(sentence), "，")
	if len(parts) >= 4 {
		parts = slices.Delete(parts, 1, 2)
	}
	return strings.Join(parts, "")
}

var (
	chineseMedicines = strings.Fields("阿莫西林 头孢克肟 阿奇霉素 罗红霉素 左氧氟沙星 甲硝唑 布洛芬 阿司匹林 双氯芬酸 氯雷他定 西替利嗪 扑尔敏 奥美拉唑 " +
		"多潘立酮 二甲双胍 胰岛素 硝苯地平 缬沙坦 卡托普利 美托洛尔 辛伐他汀 利巴韦林 阿昔洛韦 泼尼松 地塞米松 甲氨蝶呤 碘伏 炉甘石 六味地黄丸 逍遥丸 板蓝根")
	chineseIllnesses = strings.Fields("高血压 糖尿病 胃炎 肺炎 肝炎 鼻炎 咽炎 湿疹 荨麻疹 贫血 痛风 哮喘 癫痫 甲亢 冠心病 肾结石 胆囊炎 痔疮 盆腔炎 阴道炎 前列腺炎 颈椎病 骨折 白癜风")
	chineseUnit      = regexp.MustCompile(`([0-9一二两三四五六七八九十]\s*个?)(天|周|月|年|小时|分钟|毫克|克|毫升|岁|次)`)
	otherChineseUnit = map[string]string{
		"天": "年", "周": "天", "月": "天", "年": "月", "小时": "天", "分钟": "小时", "毫克": "克", "克": "毫克", "毫升": "升", "岁": "月", "次": "天",
	}
	chineseDirections = []string{"升高", "降低", "增加", "减少", "提高", "降低", "之前", "之后", "以前", "以后", "改善", "加重", "促进", "抑制", "急性", "慢性", "早期", "晚期", "阳性", "阴性"}
	chineseDenial     = regexp.MustCompile(`不(?:要|能|会|是|宜|可|用|需)|没有|无需`)
	chineseAffirmed   = regexp.MustCompile(`可以|能够|应当|应该|会|是`)
)

// forgeChinese returns wrong variants of a Chinese sentence by what is wrong with them.
func forgeChinese(sentence, passage string, n int) map[string]string {
	wrong := make(map[string]string)
	if m := someFigure.FindStringIndex(sentence); m != nil {
		wrong["another figure"] = sentence[:m[1]] + "7" + sentence[m[1]:]
	}
	if m := chineseUnit.FindStringSubmatchIndex(sentence); m != nil {
		wrong["another unit"] = sentence[:m[4]] + otherChineseUnit[sentence[m[4]:m[5]]] + sentence[m[5]:]
	}
	for i, word := range chineseDirections {
		if strings.Contains(sentence, word) {
			wrong["another direction"] = strings.ReplaceAll(sentence, word, chineseDirections[i^1])
			break
		}
	}
	if m := chineseDenial.FindStringIndex(sentence); m != nil {
		denied := sentence[m[0]:m[1]]
		wrong["a negation less"] = sentence[:m[0]] + strings.Trim(strings.Replace(denied, "没有", "有", 1), "不无") + sentence[m[1]:]
	} else if m := chineseAffirmed.FindStringIndex(sentence); m != nil {
		wrong["a negation more"] = sentence[:m[0]] + "不" + sentence[m[0]:]
	}
	for how, names := range map[string][]string{"another medicine": chineseMedicines, "another illness": chineseIllnesses} {
		if i := slices.IndexFunc(names, func(name string) bool { return strings.Contains(sentence, name) }); i >= 0 {
			wrong[how] = strings.ReplaceAll(sentence, names[i], draw(names, n, sentence, passage))
		}
	}
	return wrong
}
