"""The pytest plugin: scenarios are collected as tests, and a stack can be had in a test of one's own."""
