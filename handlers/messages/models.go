package messages

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/history"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/plaintext"
	"lacuna/knowledge/sanitise"
)

// What an answer of a model was made from, in a few words.
const (
	decisionSources = "answered from the sources"
	decisionKept    = "the sources were searched, and the model's own answer was used"
	decisionAlone   = "answered by the model alone"
)

// ErrNotAudited means that a request was not sent because the audit could not record it.
var ErrNotAudited = errors.New("it could not be recorded in the audit")

// ErrNotAllowed means that the user has not allowed text to be sent to a host: they said no, or could
// not be asked.
var ErrNotAllowed = errors.New("this workspace does not allow sending to it")

// ModelFault says what went wrong with a model and which setting could fix it; ok is false for other
// errors.
func ModelFault(err error) (text string, ok bool) {
	what, advice, ok := modelFault(err)
	return Sentences(what, advice), ok
}

// modelFault says what went wrong with a model, and what the user can do about it.
func modelFault(err error) (what, advice string, ok bool) {
	var failed *llm.Error
	if !errors.As(err, &failed) {
		return "", "", false
	}
	host := sanitise.Visible(failed.Host)
	if failed.Setting != "" {
		advice = "Setting: " + failed.Setting + "."
	}
	switch failed.Fault {
	case llm.NotPermitted:
		what = fmt.Sprintf("Nothing was sent to %s%s.", host, withReason(errorText(failed.Err)))
		if errors.Is(failed.Err, ErrNotAllowed) {
			advice = "Allow it with: lacuna consent allow " + host
		}
		if errors.Is(failed.Err, ErrNotAudited) {
			advice = "Free disk space there, or set privacy.audit_dir to a writable folder."
		}
	case llm.OverBudget:
		what = "The model was not asked again: the token limit for one answer is reached."
	case llm.NotRecorded:
		what = "The recording does not answer: " + errorText(failed.Err) + "."
	case llm.Unset:
		what = fmt.Sprintf("No model is set for the role %s.", failed.Role)
	default:
		what = fmt.Sprintf("The %s at %s did not answer: %s.", roleName(failed.Role), host, faultWords(failed))
	}
	return what, advice, true
}

// roleName names what plays a role.
func roleName(role llm.Role) string {
	switch role {
	case "embedding":
		return "encoder"
	case "rerank":
		return "reranker"
	case "entailment":
		return "cross-encoder"
	}
	return "model"
}

// faultWords says what went wrong on the other side, with the HTTP status where there was one.
func faultWords(e *llm.Error) string {
	words := map[llm.Fault]string{
		llm.Unreachable:  "no server answers at this address",
		llm.Untrusted:    "its identity could not be verified",
		llm.Unauthorised: "API key rejected",
		llm.NotFound:     "no such address or model",
		llm.RateLimited:  "rate limited",
		llm.ServerFault:  "server error",
		llm.Refused:      "request refused",
		llm.Malformed:    "the reply is not " + replyOf(e.Role),
		llm.CutOff:       "the reply was cut off",
		llm.TimedOut:     "timed out",
		llm.TooLong:      "the reply did not end",
	}[e.Fault]
	if words == "" {
		words = string(e.Fault)
	}
	if e.Fault == llm.Unauthorised && e.Status == 0 {
		words = "API key not available"
	}
	if e.Status > 0 {
		words += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	switch e.Fault {
	case llm.Untrusted, llm.Unauthorised, llm.NotFound, llm.Refused, llm.ServerFault: // the other side may say why
		words += withReason(errorText(e.Err))
	}
	switch e.Fault {
	case llm.RateLimited, llm.ServerFault:
		words += "; try again later"
	}
	return words
}

// replyOf names what an endpoint of a role is expected to return.
func replyOf(role llm.Role) string {
	switch role {
	case "embedding":
		return "a list of embeddings"
	case "rerank":
		return "a ranking"
	case "entailment":
		return "a list of labels with probabilities"
	}
	return "a chat completion"
}

// withReason appends a reason, which may contain untrusted words.
func withReason(reason string) string {
	if reason = strings.TrimRight(Shorten(Sanitise(reason, nil), maxReason), ". "); reason == "" {
		return ""
	}
	return ": " + reason
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// maxReason is the greatest length of a reason in characters.
const maxReason = 120

// ModelFailure says what failed on the way to an answer, what the answer is instead, and what the user
// can do.
func ModelFailure(r answer.Result) string {
	what, advice := failureText(r.Failure)
	instead := "This answer is from your sources alone."
	switch {
	case WrittenByModel(r):
		instead = "The answer was written without that step."
	case r.State == answer.Nearest:
		instead = "Your sources were searched without it: here are the nearest places; see whether one answers."
	case r.State == answer.Nothing:
		instead = "Your sources were searched without it; nothing in them is near."
	}
	return Sentences(what, instead, advice)
}

// failureText puts into words what failed, whatever it is.
func failureText(err error) (what, advice string) {
	what, advice, ok := modelFault(err)
	if !ok {
		what = fmt.Sprintf("A step of the answer failed: %s.", strings.TrimRight(Sanitise(err.Error(), nil), ". "))
	}
	return what, advice
}

// Lack says what a system did without, what it did instead, and what the user can do.
func Lack(l answer.Lack, system string) string {
	switch l {
	case answer.NoSelector:
		name := system[strings.LastIndex(system, "/")+1:]
		return fmt.Sprintf("%s selected nothing: it needs [rerank] and a model for %q in rerank.selectors. The documents were chosen as medrgag/no-kads chooses them.", system, name)
	case answer.NoReranker:
		return fmt.Sprintf("The paper of %s orders documents by a cross-encoder: set one up under [rerank]. The signals of the search were used.", system)
	case answer.NoExamples:
		return fmt.Sprintf("Your sources have too few stored questions to show as examples, so the passages that %s generates differ by chance alone.", system)
	case answer.NoEncoder:
		return "Some of your sources are too small to train an encoder on; they were searched by words alone."
	case answer.NoOptions:
		return fmt.Sprintf("The question has no options to write from, so the passages that %s generates differ by chance alone.", system)
	case answer.NoEndpoint:
		return "The endpoint of [embedding] did not encode the question, or has not encoded your sources yet; the built-in encoder was used."
	case answer.NoGate:
		if s, _ := systems.Lookup(system); s.Gate == "" {
			return "No trained gate is available for gate.policy, so your sources were searched. lacuna doctor says why, and lacuna gate train trains one."
		}
		return fmt.Sprintf("No gate has been trained for the policy %s, so your sources were searched. lacuna gate train --policy %s trains one; docs/gate.md says from what.", system, system)
	case answer.NoEvidence:
		return fmt.Sprintf("%s found nothing to read in your sources, so the model answered from what it knows.", system)
	}
	return ""
}

// RefusedCitations says that a model cited what it must not.
func RefusedCitations(n int) string {
	if n == 1 {
		return "One citation of the model was left out: its source does not say what it was cited for."
	}
	return fmt.Sprintf("%d citations of the model were left out: their sources do not say what they were cited for.", n)
}

// Decision says why an answer is from the sources, or is not, and how to have it from them.
func Decision(r answer.Result) string {
	d := *r.Decision
	why := withReason(d.Why)
	switch {
	case !d.Retrieve && r.CitedAfterwards:
		return fmt.Sprintf("Your sources were not searched for this answer%s. Its sentences were looked up in them afterwards. To answer from them, choose “%s”.", why, TitleFromSources)
	case !d.Retrieve:
		return fmt.Sprintf("Your sources were not searched%s. To search them, choose “%s”.", why, TitleFromSources)
	case d.OwnAnswer:
		return fmt.Sprintf("Your sources were searched, and the model's own answer was judged better%s. To see what they say, choose “%s”.", why, TitleFromSources)
	}
	return fmt.Sprintf("Your sources were searched%s. To have the model answer by itself, choose “%s”.", why, TitleModelAlone)
}

// HowAnswered says in a few words what an answer of a model was made from, and why; empty for an
// answer without one.
func HowAnswered(r answer.Result) string {
	if len(r.Models) == 0 {
		return ""
	}
	text, why := decisionAlone, ""
	if history.IsFromSources(r) {
		text = decisionSources
	}
	if d := r.Decision; d != nil {
		why = withReason(d.Why)
		if d.OwnAnswer {
			text = decisionKept
		}
	}
	return text + why
}

// Score says by which score a policy decided.
func Score(d answer.Decision) string {
	policy := Shorten(Sanitise(d.Policy, nil), 60)
	return fmt.Sprintf("Decided by %s: the score is %.2f, and the sources are searched above %.2f.", policy, d.Score, d.Threshold)
}

// lensDecision says in part of a line whether the sources were searched, and by which score.
func lensDecision(d *answer.Decision) string {
	switch {
	case d == nil:
		return ""
	case d.OwnAnswer:
		return fmt.Sprintf(", sources searched (%.2f above %.2f) and the model's own answer used", d.Score, d.Threshold)
	case d.Retrieve:
		return fmt.Sprintf(", sources searched (%.2f above %.2f)", d.Score, d.Threshold)
	}
	return fmt.Sprintf(", sources not searched (%.2f not above %.2f)", d.Score, d.Threshold)
}

// PastQuestion is a past question that a decision rests on.
func PastQuestion(p answer.PastQuestion) string {
	helped := "did not help"
	if p.Helped {
		helped = "helped"
	}
	return fmt.Sprintf("The sources %s with a similar question (%.0f %% alike): “%s”", helped, 100*p.Similarity, Shorten(plaintext.OneLine(p.Question), gap.MaxText))
}

// Progress says what an answer under way is at, with the last words that were written.
func Progress(p answer.Progress) string {
	if p.Text != "" {
		return stageWords(answer.StageRead) + ": " + lastWords(p.Text)
	}
	text := stageWords(p.Stage)
	if p.Total > 0 {
		text += fmt.Sprintf(" (step %d of %d)", min(p.Done+1, p.Total), p.Total)
	}
	return text
}

func stageWords(s answer.Stage) string {
	words := map[answer.Stage]string{
		answer.StageRewrite:   "extracting the question from the message",
		answer.StageRetrieve:  StageSearching,
		answer.StageRerank:    "reranking what was found",
		answer.StageCite:      "looking up its sentences",
		answer.StageDraft:     "drafting an answer",
		answer.StageJudge:     "judging what is missing",
		answer.StageExplore:   "naming the knowledge that is missing",
		answer.StageSummarise: "reading what was found",
		answer.StageExtract:   "extracting facts from the sources",
		answer.StageVerify:    "checking the facts against the sources",
		answer.StageSolve:     "answering from the facts",
		answer.StageAsk:       "asking follow-up questions",
		answer.StageGenerate:  "generating background, which is not evidence",
		answer.StageSelect:    "choosing what to read",
		answer.StageRead:      "writing the answer",
		answer.StageVote:      "comparing the answers",
		answer.StageDecide:    "deciding whether to search",
	}[s]
	if words == "" {
		return string(s)
	}
	return words
}

// maxTail bounds the characters shown of a streaming answer.
const maxTail = 60

// lastWords returns the end of what a model has written so far.
func lastWords(text string) string {
	const enough = 8 * maxTail // bytes; sanitising may remove much of it
	if len(text) > enough {
		text = strings.ToValidUTF8(text[len(text)-enough:], "")
	}
	runes := []rune(Sanitise(text, nil))
	if len(runes) <= maxTail {
		return string(runes)
	}
	tail := string(runes[len(runes)-maxTail:])
	if _, whole, ok := strings.Cut(tail, " "); ok {
		tail = whole
	}
	return "… " + tail
}

// Cost says on one line who took part in an answer and what it cost.
func Cost(r answer.Result) string {
	if len(r.Models) == 0 {
		return ""
	}
	text := r.System + " with " + modelNames(r)
	if !r.CachedAt.IsZero() {
		return text + cachedReply(r.CachedAt)
	}
	about := ""
	if r.Usage.Estimated {
		about = "about "
	}
	return text + fmt.Sprintf(": %s, %s%d tokens, %.1f s",
		count(r.Usage.Calls, "call"), about, r.Usage.Prompt+r.Usage.Completion, r.Timings.Total.Seconds())
}

// modelNames joins the names that the endpoints gave their models.
func modelNames(r answer.Result) string {
	names := make([]string, len(r.Models))
	for i, name := range r.Models {
		names[i] = Shorten(Sanitise(name, nil), 60)
	}
	return strings.Join(names, ", ")
}

// RequestTitle heads a request that has not been sent.
func RequestTitle(r llm.Outbound) string {
	return fmt.Sprintf("To %s, for the model %s (%s, %s): %d bytes.", r.Host, r.Model, r.Role, r.Stage, len(r.Body))
}

// Redacted says what was taken out of a request before it is sent.
func Redacted(details string) string { return "Replaced before sending: " + details }

// Round says what a round of looking for what is missing searched for and found, and why no other follows. Places
// names the passages that it found; it is empty for none.
func Round(n int, r answer.Round, places string) string {
	text := ""
	switch {
	case len(r.Queries) > 0:
		queries := make([]string, len(r.Queries))
		for i, query := range r.Queries {
			queries[i] = "“" + Shorten(Sanitise(query, nil), gap.MaxText) + "”"
		}
		text = "Searched for " + strings.Join(queries, ", ") + ": " + cmp.Or(places, "nothing new") + "."
	case r.End == answer.EndComplete:
		text = "Nothing is missing."
	}
	switch r.End {
	case answer.EndComplete:
		if len(r.Queries) > 0 {
			text += " Nothing is missing now."
		}
	case answer.EndRepeated:
		text = Sentences(text, "What is still missing was searched for.")
	case answer.EndLimit:
		text = Sentences(text, "The setting answer.rounds allows no more.")
	case answer.EndFailed:
		text = Sentences(text, "The judge or the search failed.")
	}
	return fmt.Sprintf("Round %d. %s", n, text)
}

// SystemTitles names systems with the calls that each costs at most, if that many rounds are allowed.
func SystemTitles(systems []systems.System, rounds int) []string {
	titles := make([]string, len(systems))
	for i, s := range systems {
		titles[i] = s.ID
		if !strings.EqualFold(s.Name, s.ID) {
			titles[i] += " · " + s.Name
		}
		if calls := s.MostCalls(rounds); calls > 0 {
			titles[i] += fmt.Sprintf(", up to %s", count(calls, "call"))
		}
	}
	return titles
}

func MoreOfPaper(paper string) string { return "Another system of “" + Shorten(paper, 60) + "”…" }

// NameASystem helps who has an editor that cannot ask.
func NameASystem(command string, usual []string) string {
	return fmt.Sprintf("This editor cannot ask which system should answer. Name one in the argument \"system\" of the command %s or in the setting answer.system: %s, or any other that “lacuna ask --help” lists.",
		command, strings.Join(usual, ", "))
}

// The parts of a request that has not been sent.
const (
	OutgoingAsked        = "What is asked"
	OutgoingEvidence     = "What goes along from your sources"
	OutgoingReplies      = "What the model replied before"
	OutgoingRest         = "All of it, byte by byte"
	OutgoingInstructions = "What the model is told, the same for every question"
	OutgoingUnencrypted  = "The connection is not encrypted: anyone on the network path can read it."
	NothingReplaced      = "Nothing was replaced before sending."
)

// OutgoingTitle heads the page of a request that has not been sent.
func OutgoingTitle(r llm.Outbound) string { return "What would be sent to " + r.Host }

// OutgoingBytes names the body of a request.
func OutgoingBytes(n int) string {
	return fmt.Sprintf("The JSON that would be sent (%s)", Count(n, "byte"))
}

// OutgoingQuestion shows the question that a request holds.
func OutgoingQuestion(text string) string { return "Question: " + text }

// OutgoingPassages says how many passages a request holds, of which pages and of how many more. Without
// numbered passages it may still hold other text.
func OutgoingPassages(n int, titles []string, more int, other bool) string {
	switch {
	case n == 0 && other:
		return "From your sources: text that is not numbered; read it before you send it."
	case n == 0:
		return "From your sources: nothing in this first request. Those that follow hold passages that fit the question."
	}
	text := "From your sources: " + count(n, "passage")
	if len(titles) > 0 {
		text += " (" + strings.Join(titles, "; ")
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		text += ")"
	}
	return text + "."
}
