// Package markup parses HTML, templates, Vue and Svelte components (ParseMarkup) and the JSX of scripts
// (ScanJSX) into elements with their attributes and offsets. It runs nothing, accepts any text, reads
// it in one pass, and bounds how far it looks ahead.
package markup
