// Package sources gives agents the tools of the configured MCP servers (package repo/source), each as
// source_NAME_TOOL.
//
// What a server says of its tools and what they return is data: it is cut, fenced, and masked where it is
// recorded. Each call and its result are rows of the transcript, by which calls are counted and evidence in
// reports is checked. A source that cannot be asked costs one line in the thread, and no work.
package sources
