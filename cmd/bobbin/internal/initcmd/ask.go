package initcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// An asker asks questions on the console and waits for each answer or for the end of ctx.
type asker struct {
	ctx   context.Context
	out   io.Writer
	lines chan string
}

// newAsker returns an asker that reads lines from con.In in a goroutine. The goroutine ends with the input
// or with ctx; while it waits for a line from a terminal, only the end of the process ends it.
func newAsker(ctx context.Context, con cli.Console) *asker {
	a := &asker{ctx: ctx, out: con.Err, lines: make(chan string)}
	go func() {
		defer close(a.lines)
		if con.In == nil {
			return
		}
		for in := bufio.NewScanner(con.In); in.Scan(); {
			select {
			case a.lines <- strings.TrimSpace(in.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return a
}

// ask prints a question and returns the answer; an empty answer means byDefault.
func (a *asker) ask(question, byDefault string) (string, error) {
	if byDefault != "" {
		question += " [" + byDefault + "]"
	}
	fmt.Fprint(a.out, question+": ")
	select {
	case <-a.ctx.Done():
		fmt.Fprintln(a.out)
		return "", a.ctx.Err()
	case answer, ok := <-a.lines:
		switch {
		case !ok:
			fmt.Fprintln(a.out)
			return "", cli.UsageError{
				Err: errors.New("bobbin: the answers ended before the questions; nothing was written"),
			}
		case answer == "":
			return byDefault, nil
		}
		return answer, nil
	}
}

// until lists the offered choices and asks until take accepts the answer (returns nil). It prints the error
// of take before it asks again.
func (a *asker) until(
	con cli.Console, question, byDefault string, offered []choice, take func(answer string) error,
) error {
	for i, c := range offered {
		fmt.Fprintf(con.Err, "  %d. %s\n", i+1, c.name+c.note)
	}
	if len(offered) == 0 && byDefault == "1" {
		byDefault = ""
	}
	for {
		answer, err := a.ask(question, byDefault)
		if err != nil {
			return err
		}
		why := take(answer)
		if why == nil {
			return nil
		}
		fmt.Fprintln(con.Err, "  "+cli.WithoutControls(why.Error()))
	}
}

// choose turns an answer into choices: each word is the number, the name or the value of an offered choice,
// or is used as it is.
func choose(answer string, offered []choice) (list []choice) {
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		chosen := choice{name: word, value: word}
		for i, c := range offered {
			if word == strconv.Itoa(i+1) || strings.EqualFold(strings.TrimPrefix(word, "#"),
				strings.TrimPrefix(c.name, "#")) || word == c.value {
				chosen = c
			}
		}
		list = append(list, chosen)
	}
	return list
}
