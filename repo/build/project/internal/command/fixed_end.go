package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Programs at the end of a command whose exit status does not depend on what ran before.
var (
	constant = []string{"true", "false", ":", "echo", "printf", "exit", "cat", "rm", "cd"}                      // after ; or ||
	passing  = []string{"head", "tail", "cat", "tee", "sort", "uniq", "wc", "sed", "tr", "cut", "less", "echo"} // at the end of a pipe
)

// FixedEnd returns the end of a command line that sets the exit status whatever happens before it. It
// returns an empty string if there is none or the line cannot be parsed.
func FixedEnd(line string) string {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) == 0 {
		return ""
	}
	last, behind := file.Stmts[len(file.Stmts)-1], len(file.Stmts) > 1
	for {
		binary, ok := last.Cmd.(*syntax.BinaryCmd)
		switch {
		case !ok && behind && calls(last, constant):
			return shown(last)
		case !ok:
			return ""
		case binary.Op == syntax.OrStmt && calls(binary.Y, constant), (binary.Op == syntax.Pipe || binary.Op == syntax.PipeAll) && calls(binary.Y, passing):
			return shown(binary.Y)
		}
		last, behind = binary.Y, false
	}
}

// calls reports whether a statement calls one of the programs.
func calls(stmt *syntax.Stmt, programs []string) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && slices.Contains(programs, call.Args[0].Lit())
}

// shown returns a statement in one line.
func shown(stmt *syntax.Stmt) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, stmt) != nil {
		return ""
	}
	return b.String()
}
