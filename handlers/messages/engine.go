package messages

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"lacuna/knowledge/answer"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/remote"
)

// SourceAway says that a source of an engine could not be asked, what that means, and what helps.
func SourceAway(a answer.Away) string {
	why, advice := "it did not answer", "Ask again later; lacuna remote status says how it is."
	switch {
	case errors.Is(a.Err, remote.ErrAltered):
		why, advice = "what came back is not what its publisher signed, and was refused", "Tell who runs the engine."
	case errors.Is(a.Err, remote.ErrStale):
		return fmt.Sprintf("%q was asked in vain: a node of its engine lacks passages, so the answer might have missed some. The answer is from the other sources, and what is missing was not judged. Ask again later; lacuna remote status says when the node has everything.", a.Source)
	case errors.Is(a.Err, engine.ErrRefused):
		why, advice = "the engine refuses", "Compare the key that engine_key_env or engine_key_file of your settings names with what its administrator gave you."
	case errors.Is(a.Err, ErrNotAllowed):
		why, advice = "you have not allowed its host", "Answer again and say yes, or see lacuna consent."
	case !errors.Is(a.Err, engine.ErrAway):
		why = strings.TrimRight(Sanitise(a.Err.Error(), nil), ". ")
	}
	return fmt.Sprintf("%q was not asked: %s. The answer is from the other sources, and what is missing was not judged. %s", a.Source, why, advice)
}

// EnginePushed says what a push into an engine did.
func EnginePushed(source, host string, done remote.Pushed, compared int) string {
	if done.Unchanged {
		return fmt.Sprintf("%s holds this generation of %q already (number %d)", host, source, done.Head.Number)
	}
	return fmt.Sprintf("%q is in %s: number %d, %d passages; the first ten hits of %d searches are those of your index", source, host, done.Head.Number, done.Objects, compared)
}

// EngineWaiting says why a push takes long.
func EngineWaiting(replicas int) string {
	return fmt.Sprintf("everything is sent; waiting until every replica has it (%d replicas answer). That takes a minute or two; if a node is away it takes until the node is back: lacuna remote status says which. You can interrupt, and give the command again later.", replicas)
}

// EngineReplicas says how complete a collection is.
func EngineReplicas(least, most, seen, replicas int) string {
	if least == most {
		return fmt.Sprintf("%d passages on each of %d replicas", most, replicas)
	}
	return fmt.Sprintf("NOT on every replica: %d answer, the fullest has %d passages, and a search sees %d of them or more", replicas, most, seen)
}

// EngineCard says what is current of a source.
func EngineCard(source string, number int, published time.Time, passages int) string {
	return fmt.Sprintf("%s: number %d of %s, %d passages", source, number, published.Format(time.DateOnly), passages)
}
