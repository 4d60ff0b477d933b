package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/bot/slacktest"
)

const (
	eventsASecond = 200
	busyThreads   = 20
	burst         = 100
)

// acknowledgeRow measures the time from a Slack event to its acknowledgement.
func acknowledgeRow() row {
	return row{
		name: "acknowledge", what: "From an event of Slack's to its acknowledgement (ours comes after the commit, Bolt stores nothing)",
		figures: []figure{
			{name: fmt.Sprintf("%d replies a second into %d threads at work, median", eventsASecond, busyThreads), unit: "ms", most: 1.5},
			{name: "the same, 99th percentile", unit: "ms", most: 10},
			{name: fmt.Sprintf("a burst of %d into one thread at work, median", burst), unit: "ms", most: 20},
			{name: "the same, the last", unit: "ms"},
		},
		open: func(ctx context.Context, b *bench) ([]side, func(), error) {
			ours, err := b.ownListener(ctx)
			if err != nil {
				return nil, nil, err
			}
			sides := []side{{name: "bobbin serve", turn: ours.turn}}
			bolt, err := b.boltListener(ctx)
			if err != nil {
				sides = append(sides, side{name: "Bolt for JS", lacks: err.Error()})
				return sides, ours.close, nil
			}
			sides = append(sides, side{name: "Bolt for JS", turn: bolt.turn})
			return sides, func() { ours.close(); bolt.close() }, nil
		},
	}
}

// A listener is an office with a connected app, and threads in which the app is at work.
type listener struct {
	*office
	threads []string
	turns   int
	ends    []func()
}

func (l *listener) close() {
	for _, end := range slices.Backward(l.ends) {
		end()
	}
}

// openListener opens an office to which no app is connected yet.
func openListener() (*listener, error) {
	o, err := openOffice()
	if err != nil {
		return nil, err
	}
	return &listener{office: o, ends: []func(){func() { o.Close() }}}, nil
}

// ownListener starts bobbin serve with busyThreads sessions at work. Their model never answers.
func (b *bench) ownListener(ctx context.Context) (_ *listener, err error) {
	l, err := openListener()
	if err != nil {
		return nil, err
	}
	o := l.office
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	reached := make(chan struct{}, 1000)
	model := openEndpoint(func(modelRequest) answer {
		reached <- struct{}{}
		return answer{wait: make(chan struct{})}
	})
	l.ends = append(l.ends, model.close)
	remote, err := b.small(ctx)
	if err != nil {
		return nil, err
	}
	p, err := b.serve(ctx, o, model, fmt.Sprintf("repositories: [{name: shop, url: %q, base: main}]\nsandbox: {kind: none}\nlimits: {sessions_at_once: 100}\n", remote))
	if err != nil {
		return nil, err
	}
	l.ends = append(l.ends, p.stop)
	for range busyThreads {
		root, err := o.Say(o.channel, o.ann, o.Mention()+" the total is wrong", "")
		if err != nil {
			return nil, err
		}
		l.threads = append(l.threads, root)
	}
	for n := range busyThreads {
		select {
		case <-reached:
		case <-time.After(time.Minute):
			return nil, fmt.Errorf("only %d sessions are at work: %s", n, p.tail())
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return l, nil
}

// boltListener starts a typical app that is written with Bolt for JS (bolt.mjs).
func (b *bench) boltListener(ctx context.Context) (_ *listener, err error) {
	installed, err := modules(ctx, "bot/slacktest/node")
	if err != nil {
		return nil, err
	}
	l, err := openListener()
	if err != nil {
		return nil, err
	}
	o := l.office
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	script, err := os.ReadFile(".ci/figures/bolt.mjs")
	if err != nil {
		return nil, err
	}
	name := filepath.Join(installed, "bolt.mjs") // beside its node_modules, where node looks for imports
	if err := os.WriteFile(name, script, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command("node", name)
	cmd.Env = append(os.Environ(), "SLACK_BOT_TOKEN="+o.App().BotToken, "SLACK_APP_TOKEN="+o.App().AppToken, "SLACK_API_URL="+o.URL())
	p, err := b.start(cmd)
	if err != nil {
		return nil, err
	}
	l.ends = append(l.ends, p.stop)
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := o.WaitConnected(waiting, 1); err != nil {
		return nil, fmt.Errorf("bolt does not connect: %w: %s", err, p.tail())
	}
	for range busyThreads {
		root, err := o.Say(o.channel, o.ann, "the total is wrong", "")
		if err != nil {
			return nil, err
		}
		l.threads = append(l.threads, root)
	}
	return l, nil
}

// turn sends a steady stream of replies for four seconds, then a burst into one thread.
func (l *listener) turn(ctx context.Context) ([]float64, error) {
	if err := l.WaitTaken(ctx); err != nil {
		return nil, err
	}
	before := len(l.Deliveries())
	tick := time.NewTicker(time.Second / eventsASecond)
	defer tick.Stop()
	for n := range 4 * eventsASecond {
		<-tick.C
		if _, err := l.Say(l.channel, l.ann, fmt.Sprintf("also in order %d", n), l.threads[n%busyThreads]); err != nil {
			return nil, err
		}
	}
	steady, err := l.waits(ctx, before)
	if err != nil {
		return nil, err
	}
	before = len(l.Deliveries())
	thread := l.threads[l.turns%busyThreads]
	l.turns++
	for n := range burst {
		if _, err := l.Say(l.channel, l.ann, fmt.Sprintf("and in order %d", n), thread); err != nil {
			return nil, err
		}
	}
	one, err := l.waits(ctx, before)
	if err != nil {
		return nil, err
	}
	return []float64{at(steady, 0.5), at(steady, 0.99), at(one, 0.5), at(one, 1)}, nil
}

// waits returns the times in milliseconds until ann's messages since the delivery with that index were
// acknowledged, in ascending order.
func (l *listener) waits(ctx context.Context, since int) (took []float64, err error) {
	if err := l.WaitTaken(ctx); err != nil {
		return nil, err
	}
	for _, d := range l.Deliveries()[since:] {
		if d.EventType != "message" || !bytes.Contains(d.Payload, []byte("in order ")) {
			continue // a message of the bot
		}
		if d.Outcome != slacktest.Acked {
			return nil, fmt.Errorf("an event was not acknowledged: %s", d.Outcome)
		}
		took = append(took, float64(d.Took)/float64(time.Millisecond))
	}
	slices.Sort(took)
	return took, nil
}

// at returns the quantile of the sorted values at part, which is between 0 and 1.
func at(sorted []float64, part float64) float64 {
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

// small returns the path of a bare repository with one file; the first call creates it.
func (b *bench) small(ctx context.Context) (string, error) {
	work, remote := filepath.Join(b.dir, "small"), filepath.Join(b.dir, "small.git")
	if _, err := os.Stat(remote); err == nil {
		return remote, nil
	}
	if err := writeFile(filepath.Join(work, "README.md"), []byte("A shop.\n")); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "shop"}} {
		if _, err := runGit(ctx, work, args...); err != nil {
			return "", err
		}
	}
	_, err := runGit(ctx, b.dir, "clone", "-q", "--bare", work, remote)
	return remote, err
}
