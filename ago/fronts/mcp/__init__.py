"""The MCP front: the tools of the catalog, spoken over the Model Context Protocol."""
