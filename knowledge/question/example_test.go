package question_test

import (
	"fmt"

	"lacuna/knowledge/question"
)

func ExampleRead() {
	r := question.Read("How long must receipts be kept?")
	fmt.Println(r.Language, r.Subject[0].Text, r.Expected.Kind, r.Fits("Receipts must be kept for ten years."), r.Fits("Receipts are kept in the safe."))
	// Output: en receipts duration true false
}

func ExampleAspectsOf() {
	fmt.Println(question.AspectOf("Management of asthma"), question.AspectsOf("Fees and deadlines"), len(question.Aspects()) > 50)
	// Output: treatment [cost deadline] true
}
