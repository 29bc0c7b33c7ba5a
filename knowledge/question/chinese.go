package question

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lacuna/knowledge/lexical"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/plaintext"
)

// Chinese is written without spaces. What names something is found by cutting at words of grammar and at common
// verbs, which are few, unless they are part of another common word.

// hanGrammar has words that end a name.
var hanGrammar = plaintext.Set(`
	的 了 着 过 吗 呢 吧 啊 呀 嘛 我 你 您 他 她 它 我们 你们 他们 自己 咱 大家 别人 这 那 这个 那个 这些 那些 这种 那种 某 每 各 另
	是 不是 有 没有 没 无 不 别 未 把 被 给 让 叫 跟 和 与 及 或 或者 还是 而 而且 但 但是 如果 要是 的话 因为 所以 虽然 只要 只有 才 就 都
	也 还 再 又 很 太 最 更 挺 比较 非常 特别 一直 已经 刚 刚刚 正在 马上 立刻 一下 一点 一会儿 一些 一个 一次 一种 一样 一起
	会 能 能够 可以 可 要 想 想要 得 该 应该 应当 必须 需要 愿意 敢 请 帮 在 从 向 往 对 对于 关于 到 至 用 以 按 按照 根据 为 为了 由 于 比 除了
	吃 喝 服用 放 拿 去 来 做 弄 搞 办 办理 买 卖 看 说 问 知道 觉得 找 选 选择 使用 进行 准备 保持 包括 属于 算 称 叫做 作为 成为 变成 开始 结束
	里 里面 里边 上 上面 下 下面 中 中间 外 外面 之前 之后 以前 以后 以上 以下 以内 之内 期间 时候 时 后 前 当 当时 的时候 现在 今天 明天 昨天
	多少 几 怎么 怎样 如何 什么 哪 哪里 哪些 哪个 谁 为什么 多久 多长 多大 多高 多远 多重 咋 何 何时 是否 能否
	东西 事 事情 问题 情况 方法 办法 时间 地方 部分 方面 样子 先 然后 最后 首先 最多 最少 至少 最长 最短 最高 最低 最大 最小 到底 究竟 才能 每天 每次 每月 每年 每周 些
	打 到期 满 年满 超过 达到 发 出 进 回 起来 出来 下来 下去 上去 过来 过去 掉 完 提前 老是 一般 具体 一共`)

// hanWords has words that hold one of those and name something.
var hanWords = plaintext.Set(`
	会议 会计 会员 社会 协会 机会 大会 会费 能力 功能 性能 职能 能源 节能 智能 要求 要素 重要 主要 摘要 想法 理想 思想 对象 对比 应对 绝对 相对 用户 费用 用品 作用 用法 应用 信用 通用 专用 公用 用人单位 用地 用工 雇用 试用期 信用卡 用电 用水 用途 用量 适用
	有效 有限 有关 所有 拥有 共有 有机 没收 不可抗力 不动产 不良 特别 别墅 类别 性别 级别 识别 区别 做法 可乐 许可 可口 存在 在线 在职 在校 在读 从业 和平 和解 共和 饱和 与会 参与 给付 供给 补给 水给 跟踪 目的 的士 了解 终了
	吃饭 小吃 饮食 喝酒 放假 发放 解放 开放 排放 存放 来源 未来 原来 去年 过去 去向 除去 最高法院 还款 偿还 归还 再生 更新 更换 变更 更正 太阳 太太 都市 首都 成都 才能 人才 教材 器材
	为期 行为 作为 认为 为人 人为 由于 自由 理由 事由 比例 比赛 对比 比重 以及 可以 所以 依据 根据 证据 数据 按揭 按钮 到期 迟到 达到 签到 从事 往来 往返 方向
	里程 公里 里脊 上海 上班 上市 上诉 上限 上级 网上 线上 马上 下载 下班 下限 下级 地下 以下 中心 中国 中间 中毒 集中 中介 中学 高中 初中 外卖 外汇 外地 国外 例外 户外 室外 后果 售后 事后 前提 提前 目前 当事人 当地 适当 担当 时效 时限 工时 小时 时长 临时 及时
	个人 人员 人工 人口 人民 本人 他人 法人 工人 病人 老人 成人 人身 人事 人数 人民币 客人 家人 代理人 承租人 出租人 申请人 负责人 债权人 债务人 继承人 被保险人 监护人 投保人 雇主 人参 人体 人均
	先生 优先 首先 点心 地点 要点 缺点 优点 热点 观点 重点 起点 次数 次品 档次 层次 天气 天然 春天 夏天 秋天 冬天 白天 天津
	多媒体 少年 青少年 大学 大米 大蒜 大豆 大厅 大型 大人 小学 小区 小麦 小米 小型 小组 高中 高校 高血压 高温 高压锅 高等 高层 高铁 高速 高血糖 高血脂 长度 长城 家长 校长 部长 成长 市长 局长 长期 短期 短信 低保 低压 降低 低血糖 低温 好友 爱好 良好 坏账 损坏
	打印 打印机 打卡 打包 发票 发货 发烧 发展 发行 发布 发生 发现 发动机 发明 开发 研发 理发 头发 出租 出差 出口 出生 出售 支出 提出 输出 演出 退出 进口 进度 改进 引进 回家 回收 返回 收回 撤回 驳回 过程 过敏 过期 通过 超过 过户 满分 满意 不满
	问卷 访问 顾问 说明 小说 说明书 看法 找零 选课 选修 选举 选项 挑选 买卖 买房 买家 卖家 买方 卖方 购买 请假 申请 请求 邀请 聘请 帮助 办公 办公室 办法 举办 算法 计算 预算 结算 算盘 叫车 变更 以太网 把手 被子 被告 给料 让利 转让 跟班 得分 取得 获得 所得 应得 该校 应急 反应 供应 响应 敢死 一般 一等
	晚上 绩点 早上 家里 才算 每日 各级 各类 另行 是非 无线 无效 无偿 不锈钢 未成年人 未成年 未婚 别名`)

// hanCuts returns what ends a name in a Chinese text: words of grammar and of asking.
func hanCuts(text string) []passage.Span {
	var cuts []passage.Span
	for _, t := range lexical.AskingPhrases(text) {
		cuts = append(cuts, passage.Span{Start: t.Start, End: t.End})
	}
	for at := 0; at < len(text); {
		if n := longestHan(text[at:], hanWords); n > 0 && longestHan(text[at:], hanGrammar) <= n {
			at += n
			continue
		}
		if n := longestHan(text[at:], hanGrammar); n > 0 {
			cuts = append(cuts, passage.Span{Start: at, End: at + n})
			at += n
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return cuts
}

// longestHan returns the length of the longest word of a set that a text begins with, up to five characters.
func longestHan(text string, words map[string]bool) int {
	longest := 0
	for n, at := 0, 0; n < 5 && at < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		if at += size; words[text[:at]] {
			longest = at
		}
	}
	return longest
}

// cutHan returns the phrases of a text between cuts; those of one character only if there are no others.
func cutHan(text string, cuts []passage.Span) []Phrase {
	inCut := make([]bool, len(text)+1)
	for _, c := range cuts {
		for i := c.Start; i < c.End; i++ {
			inCut[i] = true
		}
	}
	var long, short []Phrase
	seen := make(map[string]bool)
	begin := -1
	flush := func(end int) {
		if begin < 0 {
			return
		}
		p := newPhrase(text, begin, end)
		begin = -1
		lower := strings.ToLower(p.Text)
		switch {
		case len(p.Terms) == 0 || isGrammar(lower) || seen[p.Text]:
		case utf8.RuneCountInString(p.Text) == 1:
			short = append(short, p)
		default:
			long = append(long, p)
		}
		seen[p.Text] = true
	}
	for at, r := range text {
		inside := isWord(r) && !inCut[at]
		switch {
		case inside && begin < 0:
			begin = at
		case !inside:
			flush(at)
		}
	}
	flush(len(text))
	if len(long) == 0 {
		return short
	}
	return long
}

// HanPhrases returns the runs of Han characters, and of Latin words, between words of asking or grammar and
// punctuation.
func HanPhrases(text string) []Phrase { return cutHan(text, hanCuts(text)) }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
