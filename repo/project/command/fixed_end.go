package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What ends a command and says nothing of what came before it.
var (
	constant = []string{"true", "false", ":", "echo", "printf", "exit", "cat", "rm", "cd"}                      // behind ; or ||
	passing  = []string{"head", "tail", "cat", "tee", "sort", "uniq", "wc", "sed", "tr", "cut", "less", "echo"} // at the end of a pipe
)

// FixedEnd is the end of a command line that sets its exit status whatever happens before; empty
// where there is none, and where no shell could read it.
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

// calls reports whether a statement is a call of one of the programs.
func calls(stmt *syntax.Stmt, programs []string) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && slices.Contains(programs, call.Args[0].Lit())
}

// shown is a statement in one line.
func shown(stmt *syntax.Stmt) string {
	var b strings.Builder
	if syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, stmt) != nil {
		return ""
	}
	return b.String()
}
