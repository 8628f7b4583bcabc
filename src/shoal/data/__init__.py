"""What a table is: columns with roles, declared domains and hierarchies; codes and counts. No input or output."""
