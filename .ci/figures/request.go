package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// requestRow measures the time from a person's message to the first model request.
func requestRow() row {
	return row{
		name: "request", what: "From a mention to the first request of the model, in a repository that is known",
		figures: []figure{
			{name: "a few files", unit: "ms", most: 60},
			{name: fmt.Sprintf("%d files", repositorySizes[0]), unit: "ms", most: 60},
		},
		open: func(ctx context.Context, b *bench) ([]side, func(), error) {
			source, err := b.repository(ctx)
			if err != nil {
				return nil, nil, err
			}
			small, err := b.small(ctx)
			if err != nil {
				return nil, nil, err
			}
			some := filepath.Join(b.dir, "some.git")
			if _, err := runGit(ctx, b.dir, "clone", "-q", "--bare", source.remote, some); err != nil {
				return nil, nil, err
			}
			if _, err := runGit(ctx, some, "update-ref", "refs/heads/main", source.bases[0]); err != nil {
				return nil, nil, err
			}
			a := &asker{}
			a.office, err = openOffice()
			if err != nil {
				return nil, nil, err
			}
			a.other = a.addChannel("other")
			a.model = openEndpoint(func(modelRequest) answer {
				return answer{tool: "reply", args: map[string]any{"text": "It is known."}}
			})
			a.process, err = b.serve(ctx, a.office, a.model, fmt.Sprintf(`repositories:
  - {name: small, url: %q, channels: [%s]}
  - {name: some, url: %q, channels: [%s]}
`, small, a.channel, some, a.other))
			if err != nil {
				a.close()
				return nil, nil, err
			}
			if _, err := a.turn(ctx); err != nil { // fetches the mirrors
				a.close()
				return nil, nil, err
			}
			return []side{{name: "bobbin serve", turn: a.turn}}, a.close, nil
		},
	}
}

// An asker is an office with a person who starts one thread after another.
type asker struct {
	*office
	other   string // id of a channel about the larger repository
	model   *endpoint
	process *process
}

func (a *asker) close() {
	if a.process != nil {
		a.process.stop()
	}
	a.model.close()
	a.Close()
}

func (a *asker) turn(ctx context.Context) (took []float64, err error) {
	for _, about := range []struct{ channel, repository string }{{a.channel, "small"}, {a.other, "some"}} {
		var all []float64
		for range 3 {
			one, err := a.ask(ctx, about.channel, about.repository)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		took = append(took, spreadOf(all).median)
	}
	return took, nil
}

// ask mentions the bot in a channel about a repository and returns the milliseconds until the model was asked.
// It then waits until the spare workspace for the next session is there.
func (a *asker) ask(ctx context.Context, channel, repository string) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	a.model.requests()
	began := time.Now()
	root, err := a.Say(channel, a.ann, a.Mention()+" who rounds the total?", "")
	if err != nil {
		return 0, err
	}
	if err := a.await(ctx, channel, root, "It is known."); err != nil {
		return 0, fmt.Errorf("%w: %s", err, a.process.tail())
	}
	return float64(a.model.requests()[0].at.Sub(began)) / float64(time.Millisecond), awaitSpare(ctx, a.hasSpare(repository))
}

// hasSpare returns a function that reports whether the mirror holds the spare workspace for the next session.
// The bot makes it some seconds after the last session began.
func (a *asker) hasSpare(repository string) func() bool {
	return func() bool {
		whole, _ := filepath.Glob(filepath.Join(a.process.data, "mirrors", repository+"-*.git", "spares", strings.Repeat("?", 40)))
		return len(whole) == 1
	}
}
