package main

import (
	"fmt"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/schema"
)

type schemaCommand struct{}

// Help returns the detailed text of bobbin schema --help.
func (schemaCommand) Help() string {
	return `With it, editors that use the YAML language server complete and check bobbin.yaml. Write
it to a file, and name that file in the first line of bobbin.yaml:

  bobbin schema > bobbin.schema.json
  # yaml-language-server: $schema=bobbin.schema.json`
}

// Run prints the JSON schema of the configuration file.
func (schemaCommand) Run(con cli.Console) error {
	text, err := schema.Make()
	if err == nil {
		_, err = fmt.Fprintf(con.Out, "%s\n", text)
	}
	return err
}
