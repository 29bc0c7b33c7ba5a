package llmtest

import "strings"

// beginnings are how the system parts of package prompts begin. The structured ones are also named
// in response_format, but not by clients that do without it.
var beginnings = []struct{ template, words string }{
	{"answer_context", "You answer questions from numbered contexts."},
	{"answer_direct", "You answer questions from your own knowledge."},
	{"answer_cot", "You answer questions by thinking step by step."},
	{"answer_manual_cot", "You answer questions as the worked examples below do:"},
	{"answer_choice", "You are an expert, above all in medicine,"},
	{"judge_gaps", "You are a knowledge expert who checks evidence"},
	{"explore_gaps", "You plan what has to be looked up"},
	{"summarise_doc", "You extract from one document"},
	{"generate_doc", "You write background"},
	{"select_docs", "You choose the documents"},
	{"migres_extract", "You extract facts."},
	{"migres_solve", "You answer a question from a list of facts"},
	{"migres_query", "You write queries for a search engine"},
	{"verify_facts", "You check statements against passages."},
	{"followup_ask", "You find out what has to be asked"},
	{"query_check", "You look at a question before it is searched for"},
	{"rewrite", "You read a message that somebody wrote around a question"},
	{"confidence", "You estimate how likely it is"},
	{"decompose", "You take a question apart"},
	{"combine", "You answer a question from the answers to simpler questions."},
	{"eval_contexts", "You take apart what a right answer"},
	{"trial", "You are being tried."},
	{"eval_attribution", "You check for each statement"},
}

// recognise names the template that a system part is from; "" when it is none.
func recognise(system string) string {
	for _, b := range beginnings {
		if strings.HasPrefix(system, b.words) {
			return b.template
		}
	}
	return ""
}
