// Package review builds the text that a critic of a change is shown, and checks what it found: which
// findings cite a line that exists, which of them are still open after the work was fixed, and how
// agents and people are told of them.
//
// Its functions are pure. A critic is asked once for each tree, by package delivery. Its findings are sent
// back to the orchestrator once under an approval.
package review
