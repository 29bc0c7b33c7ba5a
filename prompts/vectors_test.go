package prompts

import "strings"

var zeros = strings.Repeat("0", 4000)
