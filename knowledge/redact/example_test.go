package redact_test

import (
	"fmt"

	"lacuna/knowledge/redact"
)

// What identifies people is replaced before a text leaves the machine, and put back into the reply.
func ExampleMessages() {
	redacted := redact.Messages([]string{"Mrs Amelia Hartwell was seen on 3 March 2024; call 555-010-4477."}, redact.Options{})
	fmt.Println(redacted.Messages[0])
	fmt.Println(redacted.Restore("[NAME-1] should be called back."))
	// Output:
	// Mrs [NAME-1] was seen on [DATE-1]; call [PHONE-1].
	// Amelia Hartwell should be called back.
}
