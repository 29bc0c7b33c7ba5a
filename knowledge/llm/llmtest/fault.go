package llmtest

import (
	"net/http"
	"strings"
	"time"
)

// Fault is one thing that goes wrong with a reply.
type Fault struct {
	Name string
	// Lasting says that retries never help.
	Lasting bool
	// Hangs says that the reply ends only when the client gives up.
	Hangs bool
	Break func(Reply) Reply
}

// Faults returns every way in which a server, or the way to it, fails. [Mangle] returns what models get
// wrong in their replies.
func Faults() []Fault {
	return []Fault{
		fault("silent", func(r *Reply) { r.Hang = true }).hangs(),
		fault("stalled", func(r *Reply) { r.Stall = 2 }).hangs(),
		fault("slow", func(r *Reply) { r.Wait, r.Pace = 20*time.Millisecond, time.Millisecond }),
		fault("cut stream", func(r *Reply) { r.Cut = 2 }),
		fault("short stream", func(r *Reply) { r.Short = 2 }),
		fault("hangup", func(r *Reply) { r.Hangup = true }),
		Status(http.StatusBadRequest),
		Status(http.StatusUnauthorized),
		Status(http.StatusForbidden),
		Status(http.StatusNotFound),
		Limited("0"),
		Status(http.StatusInternalServerError),
		Status(http.StatusServiceUnavailable),
		fault("html page", func(r *Reply) { r.Body, r.ContentType = page, "text/html; charset=utf-8" }),
		fault("html error", func(r *Reply) { r.Body, r.ContentType, r.Status = page, "text/html", http.StatusBadGateway }),
		fault("no json", func(r *Reply) { r.Body = `{"choices":[{"message":{"content":"unfini` }),
		fault("other json", func(r *Reply) { r.Body = `{"status":"ok","uptime":12}` }),
		fault("no choices", func(r *Reply) { r.Body = `{"choices":[]}` }),
		fault("wrong types", func(r *Reply) { r.Body = `{"choices":[{"message":{"content":{"a":1}}}]}` }),
		fault("null", func(r *Reply) { r.Body = `null` }),
		fault("error in a good reply", func(r *Reply) { r.Body = `{"error":{"message":"out of memory","type":"server_error"}}` }),
		fault("error in a stream", func(r *Reply) {
			r.Body, r.ContentType = "data: {\"error\":{\"message\":\"out of memory\"}}\n\n", "text/event-stream"
		}),
		fault("empty stream", func(r *Reply) { r.Body, r.ContentType = "data: [DONE]\n\n", "text/event-stream" }),
		fault("garbled stream", func(r *Reply) { r.Body, r.ContentType = "data: {\"choices\":[{]\n\n", "text/event-stream" }),
		fault("unframed stream", func(r *Reply) { r.Unframed = true }),
		fault("bytes", func(r *Reply) { r.Body = "\x00\xff\xfe\x01" }),
		fault("endless", func(r *Reply) { r.Endless = true }),
		fault("endless line", func(r *Reply) {
			r.Body, r.ContentType = "data: {\"choices\":[{\"delta\":{\"content\":\""+strings.Repeat("0", 32<<20), "text/event-stream"
		}),
	}
}

// page is the HTML that a proxy or a login page sends instead of a reply.
const page = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><script>alert(1)</script>Please sign in.</body></html>"

// Named returns the fault of that name.
func Named(name string) Fault {
	for _, f := range Faults() {
		if f.Name == name {
			return f
		}
	}
	panic("llmtest: no fault is called " + name)
}

// Status returns the fault of an HTTP status.
func Status(status int) Fault {
	f := fault(http.StatusText(status), func(r *Reply) { r.Status, r.Body = status, "" })
	f.Lasting = status < http.StatusInternalServerError
	return f
}

// Limited returns the fault of a rate-limited server. retryAfter is in seconds, or an HTTP date.
func Limited(retryAfter string) Fault {
	return fault(http.StatusText(http.StatusTooManyRequests), func(r *Reply) {
		r.Status, r.Header = http.StatusTooManyRequests, http.Header{"Retry-After": {retryAfter}}
	})
}

func fault(name string, breaks func(*Reply)) Fault {
	return Fault{Name: name, Break: func(r Reply) Reply {
		breaks(&r)
		return r
	}}
}

func (f Fault) hangs() Fault {
	f.Hangs = true
	return f
}

// Mangled is a reply as models write it instead of the JSON they were asked for.
type Mangled struct {
	Name     string
	Text     string
	Readable bool // a patient reader finds the JSON, or most of it
}

// Mangle returns the forms that a good JSON object was seen to take in real replies.
func Mangle(object string) []Mangled {
	return []Mangled{
		{"bare", object, true},
		{"fenced", "```json\n" + object + "\n```", true},
		{"pseudo-type", "Dict" + object, true},
		{"prose around", "Here is what you asked for:\n" + object + "\nI hope that this helps.", true},
		{"thought before", "<think>Let me see {what} is missing.</think>\n" + object, true},
		{"thought without end", "<think>Let me see what is missing. First, " + object, true},
		{"thought alone", "<think>Let me see what is missing. First, ", false},
		{"comments", strings.Replace(object, "{", "{ // as asked\n", 1), true},
		{"fence and prose", "```json\n" + object + "\n```\nThis is {all} that [1] says.", true},
		{"prose and open fence", "First, let me think it through.\n```json\n" + object, true},
		{"cut off", object[:len(object)-1], true},
		{"single quotes", strings.ReplaceAll(object, `"`, `'`), true},
		{"trailing comma", object[:len(object)-1] + ",}", true},
		{"full-width", fullWidth.Replace(object), true},
		{"zeros", `{"thought":"` + strings.Repeat("0", 4000), false},
		{"prose only", "I am sorry, but I cannot help with that.", false},
		{"empty", "", false},
	}
}

var fullWidth = strings.NewReplacer(`":`, `"：`, `{"`, `{“`, `"}`, `”}`)
