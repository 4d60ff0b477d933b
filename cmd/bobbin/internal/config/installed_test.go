package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages"
)

func TestWhatIsInstalledBesidesPackages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]packages.Extra{
		"":                              {},
		"environment: sh ci/install.sh": {Run: []string{"sh ci/install.sh"}},
		"environment: {setup: [a, b]}":  {Run: []string{"a", "b"}},
		"environment: {setup: a, inputs: [ci, '*.lock']}": {
			Run: []string{"a"}, Inputs: []string{"ci", "*.lock"},
		},
	} {
		c, err := parseConfig("c", []byte(one+text))
		require.NoError(t, err, text)
		require.Equal(t, want, c.Repositories[0].Installed.Options(), text)
	}
	c, err := parseConfig("c", []byte(one+"environment: {image: x}\nsandbox: {kind: docker, image: y}"))
	require.NoError(t, err)
	require.Equal(t, "x", c.Repositories[0].Environment().Image)
	_, err = parseConfig("c", []byte(one+"environment: {image: -x}\nsandbox: {kind: docker, image: y}"))
	require.ErrorContains(t, err, `image "-x": a name is expected`)
	for text, want := range map[string]string{
		"environment: {inputs: [a]}": "environment.inputs are files for the commands of environment.setup; " +
			"there are none",
		"environment: {setup: a, inputs: [../b]}": `environment.inputs[0] "../b": the path of files`,
		"environment: {setup: a, inputs: [/b]}":   `environment.inputs[0] "/b": the path of files`,
		"environment: {setup: ['']}":              "environment.setup[0]: a command is empty",
		"environment: {image: x}":                 "environment.image needs sandbox.kind docker",
		"setup: off\n    environment: {setup: a}": "environment.setup needs the network of setup, " +
			"which is off",
	} {
		_, err := parseConfig("c", []byte(one+text))
		require.ErrorContains(t, err, want, text)
	}
}
