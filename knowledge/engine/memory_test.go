package engine_test

import (
	"testing"

	"lacuna/knowledge/engine"
	"lacuna/knowledge/engine/enginetest"
)

func TestMemory(t *testing.T) {
	enginetest.Run(t, func(*testing.T) engine.Engine { return new(engine.Memory) })
}
