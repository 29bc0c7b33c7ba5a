package systems_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"lacuna/knowledge"
	"lacuna/knowledge/answer"
	"lacuna/knowledge/answer/extract"
	"lacuna/knowledge/answer/systems"
	"lacuna/knowledge/gap"
	"lacuna/knowledge/ingest"
	"lacuna/knowledge/llm"
	"lacuna/knowledge/llm/llmtest"
	"lacuna/knowledge/passage"
	"lacuna/prompts"
)

// A system of a paper answers a question with a model, here one that is played by package llmtest.
func ExampleEnvironment_Strategy() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "systems")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	page := "# Gout\n\nAn attack of gout is treated with colchicine.\n"
	if err := os.WriteFile(filepath.Join(dir, "gout.md"), []byte(page), 0o600); err != nil {
		panic(err)
	}
	read, err := ingest.Read(ctx, ingest.DefaultLimits(), []ingest.Source{{Name: "guide", Kind: passage.Text, Path: dir}}, nil, nil)
	if err != nil {
		panic(err)
	}
	library, err := knowledge.Build(ctx, ingest.Passages(read), filepath.Join(dir, "index"))
	if err != nil {
		panic(err)
	}

	server := llmtest.Start(nil, llmtest.Always(llmtest.Reply{Text: "An attack of gout is treated with colchicine [1]. Rest helps."}))
	defer server.Close()
	client, err := llm.New(llm.Config{Roles: map[llm.Role]llm.Endpoint{
		llm.Reader: {BaseURL: server.URL(), Model: "reader", Setting: "model"},
	}})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	environment := &systems.Environment{
		Model: client, Prompts: prompts.Default(), Offline: &extract.Offline{Judge: gap.NewJudge()},
	}
	strategy, err := environment.Strategy("std-rag/wiki")
	if err != nil {
		panic(err)
	}
	result, err := strategy.Answer(ctx, library, answer.Question{Text: "How is an attack of gout treated?"})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.System, result.State)
	for _, s := range result.Statements {
		fmt.Println(s.Basis, s.Citations, s.Text)
	}
	for _, s := range result.Trace {
		fmt.Println(s.Stage, s.Outcome)
	}
	// Output:
	// std-rag/wiki answered
	// claim [1] An attack of gout is treated with colchicine.
	// unsupported [] Rest helps.
	// retrieve ok
	// read ok
}
