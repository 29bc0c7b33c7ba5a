package settings_test

import (
	"fmt"

	"lacuna/handlers/settings"
)

func ExampleLoad() {
	loaded := settings.Load(settings.Request{
		UserFile:  "/no/such/file",
		LookupEnv: func(string) (string, bool) { return "", false },
		Flags:     map[string]string{"answer.system": "offline", "answer.passages": "many"},
	})
	fmt.Println(loaded.Settings.Answer.System, loaded.Settings.Answer.Passages)
	for _, problem := range loaded.Problems {
		fmt.Println(problem)
	}
	// Output:
	// offline 4
	// flag: answer.passages: expected a whole number from 1 to 40, found "many"
}
