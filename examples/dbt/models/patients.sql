-- The original, in the warehouse. Dates stay dates; an empty cell is NULL.
select *
from read_csv('{{ env_var("SHOAL_PATIENTS", "demo/patients.csv") }}', header = true, types = {'zip': 'VARCHAR'})
