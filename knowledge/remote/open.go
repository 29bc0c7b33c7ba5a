package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"lacuna/knowledge"
	"lacuna/knowledge/engine"
	"lacuna/knowledge/passage"
	"lacuna/knowledge/share"
	"lacuna/vecmath/regular"
)

// Open brings the signed card of a source up to date in a folder of this machine and returns the generation that it is
// of. key is the publisher's public key, which alone counts. root is where the files of its passages count as
// standing; see [passage.Passage.Published]. If the engine is away, the error is an [engine.ErrAway]; [Last] then
// returns what was current.
func Open(ctx context.Context, e engine.Engine, source, key, folder, root string) (*Generation, error) {
	at := newPlace(e, source)
	at.hurried = true
	mirror, err := share.Create(folder, share.Pin{From: at.String(), Key: key})
	if err != nil {
		return nil, err
	}
	if _, err := mirror.Pull(ctx, at, share.Options{}); err != nil {
		return nil, err
	}
	return Last(e, source, key, folder, root)
}

// Last returns the generation that [Open] found current when it last succeeded, without asking the engine.
func Last(e engine.Engine, source, key, folder, root string) (*Generation, error) {
	mirror, err := share.Open(folder)
	if err != nil {
		return nil, err
	}
	if mirror.Pin.Key != key {
		return nil, fmt.Errorf("the card in %s is of the publisher %s: %w", folder, mirror.Pin.Key, share.ErrSignature)
	}
	if mirror.Head.Source != source {
		return nil, fmt.Errorf("the card in %s is of the source %q", folder, mirror.Head.Source)
	}
	name, _ := share.NameOf(key)
	return openCard(e, mirror.Files(), mirror.Head, root, passage.Publication{By: name, On: mirror.Head.Published})
}

// openCard opens the files that [push.writeCard] wrote.
func openCard(e engine.Engine, folder string, head share.Head, root string, by passage.Publication) (*Generation, error) {
	g := &Generation{engine: e, head: head, root: root, published: by, recent: new(recent), whole: new(whole)}
	text, err := regular.ReadFile(filepath.Join(folder, aboutName))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &g.about); err != nil {
		return nil, fmt.Errorf("%s: %w", aboutName, err)
	}
	if g.about.Format != format {
		return nil, fmt.Errorf("a generation of format %q; this version of Lacuna reads %q", g.about.Format, format)
	}
	if g.card, err = knowledge.OpenCard(filepath.Join(folder, cardName)); err != nil {
		return nil, err
	}
	total := 0
	for _, kind := range g.card.Kinds() {
		if g.about.Collections[kind] == "" {
			return nil, errors.New("a card without a collection in the engine")
		}
		total += g.about.Count[kind]
	}
	if int64(total) != g.about.Tree.Size || total != g.card.Len() {
		return nil, fmt.Errorf("a card of %d passages for a generation of %d", g.card.Len(), g.about.Tree.Size)
	}
	return g, nil
}
