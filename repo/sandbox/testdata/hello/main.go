// Hello runs one command in a sandbox of the kind namespaces.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

func main() {
	s, err := sandbox.Open(context.Background(), sandbox.Config{Kind: sandbox.KindNamespaces})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := s.Command(os.Args[1], "sh", "-c", "echo hello from $(id -u)")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
