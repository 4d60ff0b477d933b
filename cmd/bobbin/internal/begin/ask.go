package begin

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

// An asker asks questions, and waits for the answers or the end of ctx.
type asker struct {
	ctx   context.Context
	out   io.Writer
	lines chan string
}

// newAsker reads the console's lines as they come. Its goroutine ends with the input, or with the
// process where somebody still could type.
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

// ask asks once; an empty answer is the default.
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
			return "", cli.UsageError{Err: errors.New("bobbin: the answers ended before the questions; nothing was written")}
		case answer == "":
			return byDefault, nil
		}
		return answer, nil
	}
}

// until asks for one of those offered, or something else, until it is taken.
func (a *asker) until(con cli.Console, question, byDefault string, offered []choice, take func(answer string) error) error {
	for i, c := range offered {
		fmt.Fprintf(con.Err, "  %d. %s\n", i+1, c.name)
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

// choose reads numbers and names of what is offered; what is neither stands as it is.
func choose(answer string, offered []choice) (list []choice) {
	for _, word := range strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' }) {
		chosen := choice{word, word}
		for i, c := range offered {
			if word == strconv.Itoa(i+1) || strings.EqualFold(strings.TrimPrefix(word, "#"), strings.TrimPrefix(c.name, "#")) || word == c.value {
				chosen = c
			}
		}
		list = append(list, chosen)
	}
	return list
}
