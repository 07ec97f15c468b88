"""The protocol: requests, responses and repairs as closed pydantic models."""
