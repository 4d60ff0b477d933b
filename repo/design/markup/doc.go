// Package markup reads HTML, templates, Vue and Svelte components (ParseMarkup) and the JSX of
// scripts (ScanJSX) into elements with their attributes and offsets, without running anything.
// It takes any text in one pass, and bounds what it follows.
package markup
